import { restoreCache } from '@actions/cache'
import * as core from '@actions/core'
import { refuseInput, runProgram } from '../../program.ts'

runProgram(async () => {
  refuseInput('save-always', ['false'])
  const key = core.getInput('key', { required: true })
  const paths = core.getMultilineInput('path', { required: true })
  const restoreKeys = core.getMultilineInput('restore-keys')
  const lookupOnly = core.getBooleanInput('lookup-only')
  const found = await restoreCache(paths, key, restoreKeys, { lookupOnly })
  core.saveState('key', key)
  core.saveState('found', found ?? '')
  core.setOutput('cache-hit', found === undefined ? '' : found === key)
  if (found !== undefined) return
  const message = `Cache not found for input keys: ${[key, ...restoreKeys].join(', ')}`
  if (core.getBooleanInput('fail-on-cache-miss')) throw new Error(message)
  core.info(message)
})
