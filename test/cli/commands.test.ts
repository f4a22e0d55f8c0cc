import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aCli } from '../support/cli.ts'
import { anExample, EXAMPLE_FILES } from '../support/example.ts'
import { aFolder, aRepository, git, writeFiles } from '../support/repository.ts'

const cli = () => aCli()

describe('the command line', () => {
  it.each<[args: string[], says: string]>([
    [['frobnicate'], 'unknown command'],
    [['run', '--candidates', '0'], '1 or more'],
    [['run', '--candidates', '1.5'], 'whole number'],
    [['run', '--policy', 'best'], 'Allowed choices'],
    [['show'], 'missing required argument'],
    [['show', 'not a candidate'], '[usage]'],
    [['--repo', '/nowhere/at/all', 'status'], '[usage]'],
  ])('refuses %j with exit code 2 and says why', async (args, says) => {
    const outcome = await cli().run(aFolder(), ...args)
    expect(outcome.exitCode).toBe(2)
    expect(outcome.stderr).toContain(says)
  })

  it('prints its version and help', async () => {
    const version = await cli().run(aFolder(), '--version')
    expect(version).toMatchObject({ exitCode: 0, stderr: '' })
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const help = await cli().run(aFolder(), '--help')
    for (const name of ['init', 'validate', 'run', 'status', 'show', 'best', 'rebuild', 'clean'])
      expect(help.stdout).toContain(name)
  })
})

describe('init, validate, run', () => {
  it('init, validate and run lead from a new project to a campaign', async () => {
    const folder = aFolder()
    git(folder, 'init', '-q')
    const { 'evaluate.sh': evaluator = '', 'src/a.js': a = '', 'src/b.js': b = '' } = EXAMPLE_FILES
    const manifest = { name: 'little', scripts: { bench: 'sh evaluate.sh' } }
    writeFiles(folder, {
      'package.json': JSON.stringify(manifest),
      'evaluate.sh': evaluator,
      'src/a.js': a,
      'src/b.js': b,
    })
    const machine = cli()
    expect(await machine.run(folder, 'init')).toMatchObject({ exitCode: 0, stderr: '' })
    const text = readFileSync(join(folder, '.loreley.yml'), 'utf8')
    expect((await machine.run(folder, 'init')).exitCode).toBe(2)
    expect(readFileSync(join(folder, '.loreley.yml'), 'utf8')).toBe(text)
    // The workflow can be added later; the config that is there stays.
    expect(await machine.run(folder, 'init', '--github')).toMatchObject({ exitCode: 0, stderr: '' })
    const template = new URL('../../workflows-templates/loreley.yml', import.meta.url)
    expect(readFileSync(join(folder, '.github/workflows/loreley.yml'), 'utf8')).toBe(
      readFileSync(template, 'utf8'),
    )
    expect(readFileSync(join(folder, '.loreley.yml'), 'utf8')).toBe(text)
    const checked = await machine.run(folder, 'validate')
    expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
    expect(checked.stdout).toMatch(/may change: .*evaluate\.sh.*package\.json\.\n/)
    writeFileSync(
      join(folder, '.loreley.yml'),
      text.replace(/^(\s+)command: .*$/m, '$1command: npm run none'),
    )
    expect((await machine.run(folder, 'validate')).stdout).toMatch(/Warning: .*evaluation\.files/)
    const edited = text
      .replace(/^(\s+)command: .*$/m, '$1command: sh evaluate.sh')
      .replace(/metric: .*$/m, 'metric: score')
    writeFileSync(join(folder, '.loreley.yml'), edited)
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'start')
    expect(await machine.run(folder, 'run', '--candidates', '2')).toMatchObject({ exitCode: 0 })
  })

  it('validate says which files of the scope are protected all the same, and why', async () => {
    const config = (editable: string) =>
      `goal: x\nobjectives: [{metric: score, direction: maximize}]\nscope: {editable: [${editable}]}\nevaluation: {command: sh evaluate.sh, gates: [node --check ./src/a.js]}\n`
    const folder = await anExample({ '.loreley.yml': config('src/**') })
    const machine = cli()
    expect((await machine.run(folder, 'validate')).stdout).toMatch(
      /1 file may be changed\.\n.*protected although scope\.editable matches, as the evaluator's own files: src\/a\.js\.\n/,
    )
    writeFileSync(join(folder, '.loreley.yml'), config('nowhere/**'))
    expect((await machine.run(folder, 'validate')).stdout).toMatch(/Warning: .*no file .* may be changed/)
  })

  it.each(['self-hosted', 'container'])(
    'writes the workflow that measures on %s machines',
    async (machine) => {
      const folder = aRepository()
      expect(await cli().run(folder, 'init', '--github', machine)).toMatchObject({ exitCode: 0, stderr: '' })
      const template = new URL(`../../workflows-templates/loreley-${machine}.yml`, import.meta.url)
      expect(readFileSync(join(folder, '.github/workflows/loreley.yml'), 'utf8')).toBe(
        readFileSync(template, 'utf8'),
      )
    },
  )

  it('validate prints line, column and hint of a problem and exits with 2', async () => {
    const folder = await anExample({ '.loreley.yml': 'goal: x\nscope:\n  editible: [src/**]\n' })
    for (const command of ['validate', 'run']) {
      const outcome = await cli().run(folder, command)
      expect(outcome.exitCode).toBe(2)
      expect(outcome.stderr).toMatch(/\.loreley\.yml:3:3/)
      expect(outcome.stderr).toContain('editable')
    }
    const { stdout, exitCode } = await cli().run(folder, 'validate', '--json')
    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ valid: false })
    expect(JSON.parse(stdout).problems).toContainEqual(expect.objectContaining({ line: 3, column: 3 }))
  })
})

describe('validate --measure', () => {
  it('reports a steady evaluator and leaves nothing behind', async () => {
    const folder = await anExample()
    const machine = cli()
    const outcome = await machine.run(folder, 'validate', '--measure')
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' })
    expect(outcome.stdout).toContain('gave the same numbers in 2 runs')
    expect(git(folder, 'for-each-ref', 'refs/heads/loreley', 'refs/loreley')).toBe('')
  })

  it('reports noise with runs, variation and A/A test, and that it is too high', async () => {
    // A counter outside every workspace: the numbers swing by a third, deterministically.
    const counter = join(aFolder(), 'count')
    const swing = `n=$(cat ${counter} 2>/dev/null || echo 0); echo $((n + 1)) > ${counter}; echo $((100 + (n * 37) % 50))`
    const folder = await anExample({
      '.loreley.yml': `goal: x\nscope: { editable: [src/**] }\nobjectives: [{ metric: score, direction: maximize }]\nevaluation: { command: sh swing.sh, isolation: none }\n`,
      'swing.sh': `${swing}\n`,
    })
    const { exitCode, stdout } = await cli().run(folder, 'validate', '--measure', '--json')
    const [{ noise }] = JSON.parse(stdout).campaigns
    expect(exitCode).toBe(1)
    expect(noise).toMatchObject({ runs: 12, deterministic: false, confidence: 0.998, maxPairs: 20 })
    expect(noise.variation).toBeGreaterThan(0.05)
    expect(noise.noise.selfTest).toHaveProperty('low')
    expect(noise.tooNoisy).toContain('no gain below')
    const said = await cli().run(folder, 'validate', '--measure')
    expect(said.stdout).toMatch(/coefficient of variation \d/)
    expect(said.stdout).toContain('A/A test')
    expect(said.stdout).toContain('A campaign would pause before it spends anything')
  })

  it('says why a root cannot be measured', async () => {
    const folder = await anExample({ 'evaluate.sh': 'echo broken; exit 3\n' })
    const { exitCode, stdout } = await cli().run(folder, 'validate', '--measure')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/cannot be measured: evaluation-failed: exit code 3\n.*broken/)
  })

  it.each([
    ['quick: { command: "exit 8" }', 'quick'],
    ['held_out: { command: "echo secret; exit 9" }', 'held_out'],
  ])('tries the stages that only candidates reach later: %s', async (stage, name) => {
    const folder = await anExample({
      '.loreley.yml': `goal: x\nscope: { editable: [src/**] }\nobjectives: [{ metric: score, direction: maximize }]\nevaluation: { command: echo 1, ${stage} }\n`,
    })
    const { exitCode, stdout } = await cli().run(folder, 'validate', '--measure')
    expect(exitCode).toBe(1)
    expect(stdout).toContain(name)
    expect(stdout).not.toContain('secret')
  })
})

describe('looking at a campaign', () => {
  it('shows status, best, candidates and rebuild as text and as JSON', async () => {
    const folder = await anExample()
    const machine = cli()
    await machine.run(folder, 'run', '--candidates', '8')
    const see = async (...args: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await machine.run(folder, ...args)
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      return stdout
    }
    expect(await see('status')).toContain('Finished after 8 candidates')
    const summary = JSON.parse(await see('status', '--json'))
    expect(summary).toMatchObject({ campaign: 'default', candidates: 8 })
    const best = JSON.parse(await see('best', '--json'))
    expect(best.candidate).toBe(summary.bestCandidate)
    expect(git(folder, 'rev-parse', best.branch)).toBe(best.commit)
    expect(await see('best')).toContain(best.branch)
    const shown = await see('show', best.candidate, '--against', 'root')
    for (const word of ['verdict', 'metrics', 'lineage', 'diff --git', 'score']) expect(shown).toContain(word)
    const ordinal = `${Number(best.candidate.slice(-4))}`
    expect(JSON.parse(await see('show', ordinal, '--json')).lineage.at(-1)).toBe(0)
    expect(await see('show', '0')).toContain('the root')
    expect(await see('rebuild')).toContain('byte for byte')
    expect(JSON.parse(await see('rebuild', '--json'))).toEqual({
      campaign: 'default',
      agrees: true,
      lines: 10,
    })
    expect((await machine.run(folder, 'show', '99')).stderr).toContain('[candidate-unknown]')
    expect((await machine.run(folder, 'status', 'other')).stderr).toContain('[campaign-unknown]')
  })

  it('says when archive.json was edited by hand', async () => {
    const folder = await anExample()
    const machine = cli()
    await machine.run(folder, 'run', '--candidates', '2')
    editState(folder, 'archive.json', (text) => text.replace(/"value": \[\s*0\./, '$&9'))
    const outcome = await machine.run(folder, 'rebuild')
    expect(outcome.exitCode).toBe(1)
    expect(outcome.stdout).toContain('does NOT match')
    editState(folder, 'archive.json', () => '{')
    const head = git(folder, 'rev-parse', 'loreley/state')
    for (const command of ['status', 'run']) {
      const corrupt = await machine.run(folder, command)
      expect(corrupt.exitCode).toBe(1)
      expect(corrupt.stderr).toContain('campaigns/default/archive.json')
      expect(corrupt.stderr).toContain('[state-corrupt]')
    }
    expect(git(folder, 'rev-parse', 'loreley/state')).toBe(head)
  })

  it('says that there is no campaign yet', async () => {
    const folder = await anExample()
    const outcome = await cli().run(folder, 'status')
    expect(outcome.exitCode).toBe(2)
    expect(outcome.stderr).toContain('[campaign-unknown]')
  })
})

describe('clean', () => {
  it('clean removes folders only, and with --all also refs and state', async () => {
    const folder = await anExample()
    const machine = cli()
    await machine.run(folder, 'run', '--candidates', '3')
    const refs = git(folder, 'for-each-ref')
    const [key = ''] = readdirSync(machine.cache)
    expect(readdirSync(join(machine.cache, key))).toEqual(['default'])
    const victim = join(machine.cache, '..', 'victim')
    mkdirSync(victim)
    for (const name of ['../../victim', '../..', '', '.', 'unknown']) {
      for (const all of [[], ['--all']])
        expect((await machine.run(folder, 'clean', name, ...all)).exitCode).toBe(2)
    }
    expect(existsSync(victim)).toBe(true)
    expect(readdirSync(join(machine.cache, key))).toEqual(['default'])
    expect((await machine.run(folder, 'clean')).exitCode).toBe(0)
    expect(readdirSync(join(machine.cache, key))).toEqual([])
    expect(git(folder, 'for-each-ref')).toBe(refs)
    expect((await machine.run(folder, 'clean', '--all')).exitCode).toBe(0)
    expect(git(folder, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/heads/loreley/state',
      'refs/heads/main',
    ])
    expect((await machine.run(folder, 'run', '--candidates', '1')).stdout).toContain('starts')
  })
})

function editState(folder: string, name: string, edit: (text: string) => string): void {
  const path = `campaigns/default/${name}`
  const file = join(aFolder(), 'edited')
  writeFileSync(file, `${edit(git(folder, 'show', `loreley/state:${path}`))}\n`)
  const blob = git(folder, 'hash-object', '-w', file)
  const commit = git(
    folder,
    'commit-tree',
    writeTree(folder, path, blob),
    '-p',
    'loreley/state',
    '-m',
    'by hand',
  )
  git(folder, 'update-ref', 'refs/heads/loreley/state', commit)
}

// By plumbing, as somebody would who edits the branch without checking it out.
function writeTree(folder: string, path: string, blob: string): string {
  const worktree = join(aFolder(), 'state')
  git(folder, 'worktree', 'add', '-q', '--detach', '--no-checkout', worktree, 'loreley/state')
  git(worktree, 'read-tree', 'HEAD')
  git(worktree, 'update-index', '--cacheinfo', `100644,${blob},${path}`)
  const tree = git(worktree, 'write-tree')
  git(folder, 'worktree', 'remove', '--force', worktree)
  return tree
}
