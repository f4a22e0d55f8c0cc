import { saveCache } from '@actions/cache'
import * as core from '@actions/core'
import { runProgram } from '../../program.ts'

runProgram(async () => {
  // The key as it was at the beginning: what it is made from may have changed since.
  const key = core.getState('key')
  if (key === '' || key === core.getState('found')) {
    core.info('Nothing new to keep')
    return
  }
  try {
    await saveCache(core.getMultilineInput('path', { required: true }), key)
  } catch (error) {
    // Files that a job did not make are no reason to fail it.
    core.warning(error instanceof Error ? error.message : String(error))
  }
})
