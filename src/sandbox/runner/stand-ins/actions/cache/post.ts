import { saveCache } from '@actions/cache'
import * as core from '@actions/core'
import { runProgram } from '../../program.ts'

runProgram(async () => {
  // Use the key from the start of the job: the files it depends on may have changed since.
  const key = core.getState('key')
  if (key === '' || key === core.getState('found')) {
    core.info('Nothing new to save')
    return
  }
  try {
    await saveCache(core.getMultilineInput('path', { required: true }), key)
  } catch (error) {
    // A missing file must not fail the job.
    core.warning(error instanceof Error ? error.message : String(error))
  }
})
