import * as core from '@actions/core'
import { createGitEnvironment } from '../../../../../git/command.ts'
import { runProgram } from '../../program.ts'
import { removeCredentials } from './credentials.ts'

runProgram(async () => {
  const folder = core.getState('folder')
  if (folder === '') return
  await removeCredentials({ folder, environment: createGitEnvironment(process.env) }, core.getState('server'))
})
