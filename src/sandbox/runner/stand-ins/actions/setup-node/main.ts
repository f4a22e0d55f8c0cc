import * as core from '@actions/core'
import { findInput, refuseInput, runProgram } from '../../program.ts'

runProgram(async () => {
  refuseInput('node-version-file')
  refuseInput('registry-url')
  const wanted = findInput('node-version') ?? '*'
  // The first number of `20.x`, `v20.11.1` or `20`. Names such as `lts/*` and `latest` are accepted as they
  // are.
  const major = /^v?(\d+)/.exec(wanted)?.[1]
  const here = process.versions.node
  if (major !== undefined && major !== here.split('.')[0]) {
    throw new Error(`The sandbox uses this machine's Node.js, which is ${here}, not ${wanted}.`)
  }
  core.info(`Using this machine's Node.js ${here}`)
  core.setOutput('node-version', `v${here}`)
  core.setOutput('cache-hit', false)
})
