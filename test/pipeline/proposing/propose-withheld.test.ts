import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { removePaths } from '../../../src/pipeline/workspace/withheld.ts'
import { anAgent } from '../../support/agents/agents.ts'
import { aFolder, aRepository, git, writeFiles } from '../../support/repository.ts'
import { aWorkbench } from '../../support/workbench.ts'

const FILES = {
  'src/a.js': 'a = 1\n',
  'src/fixed/unseen/inputs.json': '[1]\n',
  '.loreley.yml': 'goal: Better.\n',
}
const withheld = ['.loreley.yml', 'src/fixed/unseen']

const bench = () => aWorkbench(aRepository(FILES))

describe('what is withheld from agents', () => {
  it('withheld files are neither in the folder nor readable at a version, made by the set-up or tracked', async () => {
    const { propose } = await bench()
    const seen: unknown[] = []
    const agent = anAgent(async (folder, { workspace }) => {
      writeFiles(folder, { 'src/a.js': 'a = 2\n' })
      seen.push(existsSync(join(folder, '.loreley.yml')), existsSync(join(folder, 'src/fixed/unseen')))
      seen.push(await workspace.readAt('root', 'src/fixed/unseen/inputs.json'))
      seen.push(await workspace.readAt('root', 'src/a.js'))
    })
    await propose(agent, { withheld, setup: 'echo more > src/fixed/unseen/more.json' })
    expect(seen).toEqual([false, false, undefined, 'a = 1\n'])
  })

  it('withheld files are still in the tree, and no part of the change', async () => {
    const { propose, source, tree } = await bench()
    const proposal = await propose(
      anAgent((folder) => writeFiles(folder, { 'src/a.js': 'a = 2\n' })),
      { withheld },
    )
    if (proposal.status !== 'proposed') throw new Error(JSON.stringify(proposal))
    expect(git(source, 'diff-tree', '-r', '--name-status', tree, proposal.tree)).toBe('M\tsrc/a.js')
  })

  it.each<[what: string, detail: string, work: (folder: string) => void]>([
    [
      'file',
      'protected-path: src/fixed/unseen/inputs.json',
      (at) => writeFiles(at, { 'src/fixed/unseen/inputs.json': '[]' }),
    ],
    [
      'link instead of its folder',
      'protected-path: src/fixed/unseen, src/fixed/unseen/inputs.json',
      (at) => {
        mkdirSync(join(at, 'src/fixed'), { recursive: true })
        symlinkSync('/etc', join(at, 'src/fixed/unseen'))
      },
    ],
    ['config', 'protected-path: .loreley.yml', (at) => writeFiles(at, { '.loreley.yml': 'goal: Mine.\n' })],
  ])('the guard blocks an agent that writes a %s in place of what is withheld', async (_, detail, work) => {
    const { propose } = await bench()
    expect(await propose(anAgent(work), { withheld })).toMatchObject({ reason: 'guard-blocked', detail })
  })

  it('a withheld path is not removed where a link leads out of the folder', async () => {
    const [folder, outside] = [aFolder(), aFolder()]
    writeFiles(outside, { 'inputs.json': '[1]\n' })
    symlinkSync(outside, join(folder, 'unseen'))
    await removePaths(folder, ['unseen/inputs.json', 'missing/inputs.json'])
    expect(readFileSync(join(outside, 'inputs.json'), 'utf8')).toBe('[1]\n')
  })
})
