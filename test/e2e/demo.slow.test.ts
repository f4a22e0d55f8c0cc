import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Octokit } from '@octokit/rest'
import { expect, it } from 'vitest'
import { findFreePort } from '../../src/entrypoints/cli/demo/free-port.ts'
import { aCli } from '../support/cli.ts'
import { aFolder, gitEnvironment } from '../support/repository.ts'

const run = promisify(execFile)
const REPO = { owner: 'acme', repo: 'circle-packing' }

it('shows the whole product, and a visitor finds what it claims', async () => {
  const cli = aCli()
  const port = await findFreePort()
  const args = ['--json', '--keep', '--candidates', '12', '--port', `${port}`]
  const demo = cli.start(aFolder('loreley-demo-'), 'demo', ...args)
  let claimed: Record<string, number> = {}
  try {
    await demo.said('"pullRequests"')
    claimed = await visit(`http://localhost:${port}`)
  } finally {
    demo.child.kill('SIGINT')
  }
  const ended = await demo.ended
  expect(ended.exitCode, ended.stderr).toBe(0)
  expect(JSON.parse(ended.stdout)).toEqual({ ...claimed, candidates: 12, seconds: expect.any(Number) })
  expect(readdirSync(cli.temp), 'nothing is left behind').toEqual([])
}, 600_000)

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
  const figures = await Promise.all(elites.data.map(({ ref }) => evaluate(url, ref)))
  const best = Math.max(...figures)
  const baseline = await evaluate(url, 'refs/heads/main')
  expect(best).toBeGreaterThan(baseline)
  expect(titles.map((title) => Number(title.split(' ')[1]))).toContain(Number(best.toPrecision(6)))
  expect(elites.data.length).toBeGreaterThanOrEqual(3)
  expect(pulls.data.length).toBeGreaterThanOrEqual(1)
  return { baseline, best, cells: elites.data.length, pullRequests: pulls.data.length }
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
