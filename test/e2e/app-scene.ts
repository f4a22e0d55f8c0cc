import { expect } from 'vitest'
import type { Campaign } from '../../src/core/campaign/campaign.ts'
import { requestAction } from '../../src/sandbox/checks/check-run-routes.ts'
import { checkRuns } from '../../src/sandbox/checks/checks.ts'
import { findRepository, getUser } from '../../src/sandbox/state/lookups.ts'
import { anApp, type TestApp, type TestAppOptions } from '../app/support.ts'
import { REPO, type TestBox } from '../sandbox/support.ts'

/** How long a fact may take to become true on a slow machine that others use too. */
export const PATIENCE = { timeout: 120_000, interval: 60 }

export const WORKFLOW_PATH = '.github/workflows/loreley.yml'
export const WORKFLOW = `name: Loreley
on:
  workflow_dispatch:
    inputs: { kind: {}, candidate: {}, state: {}, root: {}, base: {}, nonce: {} }
jobs: {}
`

/** A config whose limits and further lines are given. */
export function aConfigFile(limits = 'candidates: 4, parallel: 2', more = ''): string {
  return `goal: More.
scope: { editable: [src/**] }
evaluation: { command: node bench.mjs }
objectives: [{ metric: score, direction: maximize }]
search: { cells: 9, warm_up: 2, axes: [{ metric: x, min: 0, max: 1 }, { metric: y, min: 0, max: 1 }] }
limits: { ${limits} }
${more}`
}

interface SceneOptions extends TestAppOptions {
  readonly limits?: string
  readonly config?: string
}

/** The app on a repository with this config. */
export async function aScene(options: SceneOptions = {}): Promise<TestApp> {
  const { limits, config = aConfigFile(limits), files = {}, ...rest } = options
  return await anApp({
    ...rest,
    files: {
      '.loreley.yml': config,
      [WORKFLOW_PATH]: WORKFLOW,
      'src/a.txt': '1\n',
      'bench.mjs': 'console.log(1)\n',
      ...files,
    },
  })
}

export async function say(box: TestBox, who: string, issue: number, body: string): Promise<number> {
  const { data } = await box.as(who).rest.issues.createComment({ ...REPO, issue_number: issue, body })
  return data.id
}

/** What the app answered so far, oldest first: all its comments but dashboards. */
export async function answersOn(box: TestBox, issue: number): Promise<string[]> {
  const { data } = await box
    .as('rita')
    .rest.issues.listComments({ ...REPO, issue_number: issue, per_page: 100 })
  return data
    .filter(({ user }) => user?.login === 'tester[bot]')
    .map(({ body }) => body ?? '')
    .filter((body) => !body.startsWith('<!-- loreley:'))
}

/** Says a command and waits for its answer. */
export async function ask(box: TestBox, who: string, issue: number, command: string): Promise<string> {
  const before = (await answersOn(box, issue)).length
  await say(box, who, issue, command)
  await expect.poll(async () => (await answersOn(box, issue)).length, PATIENCE).toBeGreaterThan(before)
  return (await answersOn(box, issue))[before] ?? ''
}

/** The signs on a comment, in the order they were given. */
export async function signsOn(box: TestBox, comment: number): Promise<string[]> {
  const { data } = await box.as('rita').rest.reactions.listForIssueComment({ ...REPO, comment_id: comment })
  return data.map(({ content }) => content)
}

/** What the state branch says of a campaign; undefined when there is none. */
export async function stateOf(
  box: TestBox,
  campaign = 'default-1',
): Promise<Pick<Campaign, 'status' | 'control' | 'finished' | 'nextOrdinal' | 'used'> | undefined> {
  const path = `campaigns/${campaign}/campaign.json`
  const found = await box
    .as('rita')
    .rest.repos.getContent({ ...REPO, ref: 'loreley/state', path, mediaType: { format: 'raw' } })
    .catch(() => undefined)
  return found && JSON.parse(String(found.data))
}

/** Waits until a campaign is in a phase. */
export async function awaitPhase(box: TestBox, phase: string, campaign = 'default-1'): Promise<void> {
  await expect.poll(async () => (await stateOf(box, campaign))?.status.phase, PATIENCE).toBe(phase)
}

/** All lines of a campaign's ledger. */
export async function ledgerOf(
  box: TestBox,
  campaign = 'default-1',
): Promise<
  {
    ordinal: number
    kind: string
    run?: number
    epoch?: number
    commit?: string
    runner?: { label?: string }
    usage: { runnerMs: number }
    verdict: Record<string, unknown>
  }[]
> {
  const path = `campaigns/${campaign}/ledger/000.jsonl`
  const { data } = await box
    .as('rita')
    .rest.repos.getContent({ ...REPO, ref: 'loreley/state', path, mediaType: { format: 'raw' } })
  return String(data)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

interface Dashboard {
  readonly id: number
  readonly body: string
}

/** The dashboard of a campaign. */
export async function dashboardOn(box: TestBox, issue: number): Promise<Dashboard> {
  return (await dashboardsOn(box, issue))[0] ?? { id: 0, body: '' }
}

/** All dashboards on an issue, oldest first. There should be one. */
export async function dashboardsOn(box: TestBox, issue: number): Promise<readonly Dashboard[]> {
  const { data } = await box
    .as('rita')
    .rest.issues.listComments({ ...REPO, issue_number: issue, per_page: 100 })
  return data.flatMap(({ id, body = '' }) => (body.startsWith('<!-- loreley:status') ? [{ id, body }] : []))
}

/** Ticks a box of a dashboard, as people do: by editing the comment. */
export async function tickBox(box: TestBox, who: string, issue: number, marker: string): Promise<void> {
  const open = `- [ ] <!-- loreley:${marker}`
  await expect.poll(async () => (await dashboardOn(box, issue)).body, PATIENCE).toContain(open)
  const { id, body } = await dashboardOn(box, issue)
  await box.as(who).rest.issues.updateComment({
    ...REPO,
    comment_id: id,
    body: body.replace(open, open.replace('[ ]', '[x]')),
  })
}

/** Presses a button of a candidate's check run, as people do on the page. */
export async function press(box: TestBox, who: string, candidate: string, identifier: string): Promise<void> {
  const find = () =>
    checkRuns(box.box.store)
      .all()
      .find(({ externalId }) => externalId === candidate)
  await expect.poll(find, PATIENCE).toBeDefined()
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  const run = find()
  if (repo === undefined || run === undefined) throw new Error('there is no such check run')
  const by = { sender: getUser(box.box.store, who) }
  await requestAction(box.box, repo, { runId: run.id, identifier, by })
}

/** Commits a file to the default branch, as a person. */
export async function commitFile(box: TestBox, path: string, text: string | undefined, branch = 'main') {
  const { repos } = box.as('olivia').rest
  const known = await repos.getContent({ ...REPO, path, ref: branch }).catch(() => undefined)
  const sha = known !== undefined && 'sha' in known.data ? { sha: known.data.sha } : undefined
  if (text === undefined) {
    await repos.deleteFile({ ...REPO, path, branch, message: `drop ${path}`, sha: sha?.sha ?? '' })
    return
  }
  const content = Buffer.from(text).toString('base64')
  await repos.createOrUpdateFileContents({ ...REPO, path, branch, message: `write ${path}`, content, ...sha })
}

/** Open issues of the app itself: what it asks maintainers to mend. */
export async function complaintsOf(box: TestBox): Promise<string[]> {
  const { data } = await box
    .as('rita')
    .rest.issues.listForRepo({ ...REPO, creator: 'tester[bot]', state: 'open' })
  return data.filter(({ pull_request }) => pull_request === undefined).map(({ body }) => body ?? '')
}
