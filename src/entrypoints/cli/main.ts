#!/usr/bin/env node
import { createProgram } from './program.ts'
import { reportFault } from './report-fault.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = reportFault(error)
}
