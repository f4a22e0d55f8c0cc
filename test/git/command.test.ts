import { describe, expect, it } from 'vitest'
import { createGitEnvironment, runGit, tryGit } from '../../src/git/command.ts'
import { aFolder, gitEnvironment } from '../support/repository.ts'

describe('runGit', () => {
  it('says that git is missing', async () => {
    const call = { args: ['--version'], environment: { PATH: aFolder() } }
    await expect(runGit(call)).rejects.toMatchObject({ code: 'git-missing' })
  })

  it('gives git no variable that points at another repository', () => {
    const environment = createGitEnvironment({
      PATH: '/bin',
      GIT_DIR: '/elsewhere',
      GIT_INDEX_FILE: '/x',
      HOME: '/home',
    })
    expect(environment).toMatchObject({ PATH: '/bin', HOME: '/home' })
    expect(Object.keys(environment)).not.toContain('GIT_DIR')
    expect(Object.keys(environment)).not.toContain('GIT_INDEX_FILE')
  })

  it('quotes what git said when it fails', async () => {
    const call = { args: ['cat-file', '-t', 'nothing'], environment: gitEnvironment, cwd: aFolder() }
    expect((await tryGit(call)).exitCode).not.toBe(0)
    await expect(runGit(call)).rejects.toMatchObject({
      code: 'git-failed',
      message: expect.stringContaining('fatal:'),
    })
  })
})
