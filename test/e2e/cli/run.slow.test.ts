import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCli, findWorkFolders, parseLines } from '../../support/cli.ts'
import { anExample, exampleConfig } from '../../support/example.ts'
import { git, writeFiles } from '../../support/repository.ts'

function show(folder: string, path: string): string {
  return git(folder, 'show', `loreley/state:campaigns/default/${path}`)
}

function elites(folder: string): string {
  return git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/loreley/elite')
}

describe('loreley run', () => {
  it('spends its budget, publishes every elite, and tells machines all about it', async () => {
    const folder = await anExample()
    const cli = aCli()
    const { exitCode, stdout, stderr } = await cli.run(folder, 'run', '--candidates', '12', '--json')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const lines = parseLines(stdout)
    // The root, twelve candidates, and the winner once more.
    expect(lines.map(({ type }) => type)).toEqual(['started', ...Array(14).fill('candidate'), 'summary'])
    expect(lines.slice(1, -1).map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 14 }, (_, at) => at),
    )
    expect(lines.at(-2)).toMatchObject({ kind: 'confirm', verdict: { status: 'confirmed' } })
    expect(lines.at(-1)).toMatchObject({ campaign: 'default', candidates: 12, status: { phase: 'finished' } })
    const archive = JSON.parse(show(folder, 'archive.json'))
    const held = Object.entries<{ commit: string }[]>(archive.islands.main)
    expect(elites(folder).split('\n')).toEqual(
      held.map(([cell, [elite]]) => `refs/heads/loreley/elite/default/main/${cell} ${elite?.commit}`).sort(),
    )
    expect(findWorkFolders(cli.cache)).toEqual([])
    expect(readdirSync(cli.temp)).toEqual([])
  })

  it('gives the same archive and the same commits however many run at once; another seed gives others', async () => {
    const cli = aCli()
    const results = await Promise.all(
      [['1'], ['2'], ['4'], ['4', '--seed', '2']].map(async (args) => {
        const folder = await anExample()
        await cli.run(folder, 'run', '--candidates', '16', '--parallel', ...args)
        return { archive: show(folder, 'archive.json'), elites: elites(folder) }
      }),
    )
    const [one, two, four, other] = results
    expect(two).toEqual(one)
    expect(four).toEqual(one)
    expect(other?.archive).not.toBe(one?.archive)
  })

  it('carries on with more candidates, each time alike, and does nothing when none are left', async () => {
    const cli = aCli()
    const ends = [await anExample(), await anExample()].map(async (folder) => {
      await cli.run(folder, 'run', '--candidates', '5')
      const again = await cli.run(folder, 'run', '--candidates', '14')
      expect(again.stdout).toContain('continues')
      const idle = await cli.run(folder, 'run', '--candidates', '14', '--json')
      expect(parseLines(idle.stdout).map(({ type }) => type)).toEqual(['started', 'summary'])
      expect(parseLines(idle.stdout).at(-1)).toMatchObject({ candidates: 14 })
      return { archive: show(folder, 'archive.json'), elites: elites(folder) }
    })
    const [one, two] = await Promise.all(ends)
    expect(two).toEqual(one)
  })

  it('a second process is refused while another one runs the same campaign', async () => {
    const folder = await anExample({ '.loreley.yml': exampleConfig().replace('sh evaluate.sh', 'sleep 30') })
    const cli = aCli()
    const first = cli.start(folder, 'run')
    await first.said('starts')
    for (const args of [['run'], ['clean', '--all']]) {
      const second = await cli.run(folder, ...args)
      expect(second.exitCode).toBe(1)
      expect(second.stderr).toContain(`is being run by process ${first.pid} `)
      expect(second.stderr).toContain('[campaign-busy]')
    }
    first.child.kill('SIGTERM')
    expect((await first.ended).exitCode).toBe(130)
  })

  it("touches nothing of the user's: work tree, index, HEAD, config, stash", async () => {
    const folder = await anExample()
    writeFiles(folder, { 'src/a.js': 'stashed\n' })
    git(folder, 'stash')
    writeFiles(folder, { 'src/a.js': 'half done\n', 'staged.txt': 'x\n', 'untracked.txt': 'y\n' })
    git(folder, 'add', 'staged.txt')
    git(folder, 'status')
    const look = (): unknown => ({
      status: git(folder, 'status', '--porcelain'),
      stash: git(folder, 'rev-parse', 'stash@{0}'),
      files: ['HEAD', 'index', 'config', 'logs/HEAD', 'logs/refs/stash', 'refs/heads/main'].map((name) =>
        readFileSync(join(folder, '.git', name)).toString('base64'),
      ),
      text: readFileSync(join(folder, 'src/a.js'), 'utf8'),
      names: readdirSync(folder),
    })
    const before = look()
    expect((await aCli().run(folder, 'run', '--candidates', '4')).exitCode).toBe(0)
    expect(look()).toEqual(before)
    // The half-done work is not what was measured.
    expect(JSON.parse(show(folder, 'campaign.json')).root.commit).toBe(git(folder, 'rev-parse', 'HEAD'))
  })

  it("stops at a baseline that fails, with the evaluator's words and nothing but the state branch", async () => {
    const folder = await anExample({ 'evaluate.sh': 'echo the sky is falling >&2\nexit 7\n' })
    const refs = git(folder, 'for-each-ref')
    const outcome = await aCli().run(folder, 'run')
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stderr).toContain('exit code 7')
    expect(outcome.stderr).toContain('the sky is falling')
    expect(outcome.stderr).toContain('[evaluator-baseline-invalid]')
    expect(
      git(folder, 'for-each-ref')
        .split('\n')
        .filter((line) => !line.endsWith('refs/heads/loreley/state'))
        .join('\n'),
    ).toBe(refs)
  })

  it('refuses to carry on with what another campaign would be needed for, and changes nothing', async () => {
    const folder = await anExample()
    const cli = aCli()
    await cli.run(folder, 'run', '--candidates', '2')
    const state = git(folder, 'rev-parse', 'loreley/state')
    writeFiles(folder, { '.loreley.yml': exampleConfig().replace('src/**', 'src/a.js') })
    const outcome = await cli.run(folder, 'run', '--candidates', '4')
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stderr).toContain('scope.editable')
    expect(outcome.stderr).toContain('[campaign-changed]')
    expect((await cli.run(folder, 'run', '--seed', '9')).stderr).toContain('[campaign-changed]')
    expect(git(folder, 'rev-parse', 'loreley/state')).toBe(state)
  })
})
