#!/usr/bin/env node
import { createProgram } from './program.ts'
import { reportFault } from './report-fault.ts'

// The reader of our output is gone (`loreley run | head`): stop cleanly, once.
let hasReader = true
process.stdout.on('error', (error) => {
  if (!('code' in error && error.code === 'EPIPE')) throw error
  if (hasReader) process.kill(process.pid, 'SIGTERM')
  hasReader = false
})

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = reportFault(error)
}
