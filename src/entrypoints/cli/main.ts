#!/usr/bin/env node
import { createProgram } from './program.ts'
import { reportFault } from './report-fault.ts'

// Whoever read our output has gone (`loreley run | head`). We stop as we do when told to, once: what is said
// after that goes nowhere.
let isHeard = true
process.stdout.on('error', (error) => {
  if (!('code' in error && error.code === 'EPIPE')) throw error
  if (isHeard) process.kill(process.pid, 'SIGTERM')
  isHeard = false
})

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = reportFault(error)
}
