import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasNamespaces, hasUserNamespaces } from '../../process/enclosed-run.ts'
import { aCli, parseLines } from '../../support/cli.ts'
import { anExample } from '../../support/example.ts'
import { aFolder, git } from '../../support/repository.ts'

const canIsolate = hasNamespaces || hasUserNamespaces
const isolated = { level: 'namespace', network: 'none' }
const none = { level: 'none', network: 'host' }

/** The example, with a config that is not committed: the root is the same whatever it says. */
async function anExampleWith(isolation: string): Promise<string> {
  const folder = await anExample()
  const file = join(folder, '.loreley.yml')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('baseline_runs: 2', `baseline_runs: 2, isolation: ${isolation}`),
  )
  return folder
}

/** A PATH with what the evaluator and git need, and nothing to make namespaces with. */
function aPoorPath(): string {
  const folder = join(aFolder(), 'bin')
  mkdirSync(folder)
  for (const name of ['sh', 'cat', 'awk', 'git', 'cp', 'rm'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name))
  return folder
}

async function aCampaign(isolation: 'auto' | 'none') {
  const folder = await anExampleWith(isolation)
  const cli = aCli()
  const { exitCode, stdout, stderr } = await cli.run(folder, 'run', '--json', '--candidates', '12')
  expect(exitCode, stderr).toBe(0)
  const [started, ...rest] = parseLines(stdout)
  const show = async (...args: string[]) => (await cli.run(folder, ...args)).stdout
  return { folder, cli, started, measured: rest.filter(({ metrics }) => metrics !== undefined), stderr, show }
}

describe('a campaign on this machine', () => {
  it('comes out the same, kept apart or not, and tells which it was', async () => {
    const [apart, bare] = [await aCampaign('auto'), await aCampaign('none')]
    const archiveOf = ({ folder }: { folder: string }) =>
      git(folder, 'rev-parse', 'loreley/state:campaigns/default/archive.json')
    expect(archiveOf(apart)).toBe(archiveOf(bare))
    const elitesOf = ({ folder }: { folder: string }) =>
      git(folder, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/loreley/elite')
    expect(elitesOf(apart)).toBe(elitesOf(bare))
    for (const [campaign, isolation] of [
      [apart, canIsolate ? isolated : none],
      [bare, none],
    ] as const) {
      expect(campaign.started).toMatchObject({ isolation })
      expect(campaign.measured.length).toBeGreaterThan(5)
      for (const entry of campaign.measured) expect(entry).toMatchObject({ isolation })
    }
    expect(bare.stderr, 'accepted in silence').toBe('')
    const words = canIsolate
      ? /isolation +(separate|same) user and namespaces, no network/
      : /isolation +none/
    for (const args of [['status'], ['show', '1']]) expect(await apart.show(...args)).toMatch(words)
    expect(await apart.show('status', '--json')).toContain('"isolation":{')
    expect(await apart.show('doctor')).toMatch(
      canIsolate ? /ok +isolation: .*namespaces/ : /ok +isolation: .*none/,
    )
    expect(await bare.show('doctor')).toMatch(/ok +isolation: .*none/)
  })

  it('a machine without isolation is reported once, and no campaign starts if the config insists on it', async () => {
    const folder = await anExample()
    const poor = aCli({ PATH: aPoorPath() })
    const { exitCode, stderr, stdout } = await poor.run(folder, 'run', '--candidates', '3')
    expect({ exitCode, times: stderr.split('runs as you').length - 1 }).toEqual({ exitCode: 0, times: 1 })
    expect(stdout).toContain('Isolation of candidate code: none.')
    const strict = await anExampleWith('namespace')
    const refused = await poor.run(strict, 'run', '--candidates', '3')
    expect(refused.exitCode).not.toBe(0)
    expect(refused.stderr).toContain('[isolation-unavailable]')
    const checked = await poor.run(strict, 'doctor')
    expect(checked.exitCode).toBe(1)
    expect(checked.stdout).toContain('fail isolation')
  })
})
