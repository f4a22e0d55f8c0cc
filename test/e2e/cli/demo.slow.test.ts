import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Octokit } from '@octokit/rest'
import { expect, it } from 'vitest'
import type { LedgerEntry } from '../../../src/core/campaign/ledger.ts'
import { findFreePort } from '../../../src/entrypoints/cli/demo/free-port.ts'
import { aCli } from '../../support/cli.ts'
import { aFolder, gitEnvironment } from '../../support/repository.ts'

const run = promisify(execFile)
const REPO = { owner: 'acme', repo: 'circle-packing' }
const NOISY = { owner: 'acme', repo: 'word-count' }

it('shows the whole product, and a visitor finds what it claims', async () => {
  const cli = aCli()
  const port = await findFreePort()
  const args = ['--json', '--keep', '--candidates', '12', '--port', `${port}`]
  const demo = cli.start(aFolder('loreley-demo-'), 'demo', ...args)
  let claimed: Record<string, unknown> = {}
  try {
    await demo.said('"pullRequests"')
    const url = `http://localhost:${port}`
    claimed = { ...(await visit(url)), noisy: await visitNoisy(url) }
  } finally {
    demo.child.kill('SIGINT')
  }
  const ended = await demo.ended
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(JSON.parse(ended.stdout)).toEqual({ ...claimed, candidates: 12, seconds: expect.any(Number) })
  expect(ended.stderr).toMatch(/A\/A test: the root (does not differ|differs) from itself/)
  expect(readdirSync(cli.temp), 'nothing is left behind').toEqual([])
}, 1_500_000)

/** What somebody without an account sees of the box, in the words of the demo's last line. */
async function visit(url: string): Promise<Record<string, number>> {
  const { rest } = new Octokit({ baseUrl: `${url}/api/v3` })
  const elites = await rest.git.listMatchingRefs({ ...REPO, ref: 'heads/loreley/elite/default-1/' })
  const titles: string[] = []
  for (const { object } of elites.data) {
    const { data } = await rest.checks.listForRef({ ...REPO, ref: object.sha })
    titles.push(...data.check_runs.map(({ output }) => output.title ?? ''))
  }
  const pulls = await rest.pulls.list(REPO)
  const comments = await rest.issues.listComments({ ...REPO, issue_number: 1 })
  expect(pulls.data.every(({ draft }) => draft)).toBe(true)
  expect(comments.data.map(({ body, user }) => [user?.login, body])).toEqual([
    ['loreley[bot]', expect.stringContaining('Finished after 12 candidates')],
  ])
  const picture = await rest.repos.getContent({
    ...REPO,
    path: 'campaigns/default-1/archive.svg',
    ref: 'loreley/state',
    mediaType: { format: 'raw' },
  })
  expect(String(picture.data), 'the niches have names').toMatch(/ … /)
  expect(String(picture.data)).not.toContain('not fitted yet')
  const figures = await Promise.all(elites.data.map(({ ref }) => evaluate(url, ref)))
  const best = Math.max(...figures)
  const baseline = await evaluate(url, 'refs/heads/main')
  expect(best).toBeGreaterThan(baseline)
  expect(titles.map((title) => Number(title.split(' ')[1]))).toContain(Number(best.toPrecision(6)))
  expect(elites.data.length).toBeGreaterThanOrEqual(3)
  expect(pulls.data.length).toBeGreaterThanOrEqual(1)
  return { baseline, best, cells: elites.data.length, pullRequests: pulls.data.length }
}

/** The same of the second act. Whether anything stood out there is chance; how it was measured is not. */
async function visitNoisy(url: string): Promise<unknown> {
  const { rest } = new Octokit({ baseUrl: `${url}/api/v3` })
  const read = async (path: string): Promise<string> => {
    const place = { ...NOISY, path: `campaigns/default-1/${path}`, ref: 'loreley/state' }
    const { data } = await rest.repos.getContent({ ...place, mediaType: { format: 'raw' } })
    return String(data)
  }
  const ledger: LedgerEntry[] = (await read('ledger/000.jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const interleaved = ledger.filter(({ runs }) => runs !== undefined && runs.root.length > 0)
  expect(interleaved.length, 'candidates that were interleaved with the root').toBeGreaterThan(0)
  for (const { runs, interval } of interleaved) {
    expect(runs?.candidate.length).toBe(runs?.root.length)
    expect(interval?.low.length).toBe(1)
  }
  const { baseline } = JSON.parse(await read('campaign.json'))
  expect(baseline.deterministic).toBe(false)
  const pulls = await rest.pulls.list(NOISY)
  const pairs = interleaved.reduce((sum, { runs }) => sum + (runs?.root.length ?? 0), 0)
  return expect.objectContaining({
    baseline: baseline.value[0],
    candidates: 8,
    noise: baseline.noise,
    pairs,
    pullRequests: pulls.data.length,
  })
}

async function evaluate(url: string, ref: string): Promise<number> {
  const folder = aFolder('loreley-by-hand-')
  const branch = ref.slice('refs/heads/'.length)
  const args = ['clone', '-q', '--branch', branch, `${url}/acme/circle-packing.git`, folder]
  await run('git', args, { env: gitEnvironment })
  const { stdout } = await run(process.execPath, [join(folder, 'evaluate.mjs')], { cwd: folder })
  return JSON.parse(stdout).sum_radii
}

it('says what is missing when it cannot keep a promise', async () => {
  const ended = await aCli().run(aFolder('loreley-demo-'), 'demo', '--json', '--candidates', '1')
  expect(ended.stderr).toContain('[demo-failed]')
  expect(ended).toMatchObject({ exitCode: 1, stdout: '' })
}, 300_000)
