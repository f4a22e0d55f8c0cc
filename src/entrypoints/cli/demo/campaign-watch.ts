import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { LedgerEntry } from '../../../core/campaign/ledger.ts'
import { LoreleyError } from '../../../errors.ts'
import { createBorrowingRepository, fetchCommits } from '../../../git/borrowed-repository.ts'
import { createGitEnvironment, runGit } from '../../../git/command.ts'
import { renderPlainStatus } from '../../../reports/campaign/status-line.ts'
import { STATE_REF } from '../../../store/layout.ts'
import { type OpenGit, openGit } from '../../../store/open-git.ts'
import type { Snapshot } from '../../../store/state-store.ts'
import type { Site } from './installation.ts'

const LOOK_MS = 700
/** A slow machine may take long, but a stuck one must not wait for ever. */
const STILL_MS = 5 * 60_000

export interface WatchOptions {
  readonly folder: string
  readonly campaign: string
  readonly signal: AbortSignal
  /** Called for each finished candidate, in ledger order. */
  readonly onEntry: (entry: LedgerEntry, snapshot: Snapshot) => void
}

/** Follows a campaign by fetching its state branch, as anybody could. Ends when nothing is left to do. */
export async function watchCampaign(site: Site, options: WatchOptions): Promise<Snapshot> {
  const mirror = await openMirror(join(options.folder, `${site.repo.repo}.git`))
  const reported = new Set<number>()
  let seen: string | undefined
  let movedAt = performance.now()
  try {
    for (;;) {
      const head = await findStateHead(site)
      if (head !== undefined && head !== seen) {
        seen = head
        movedAt = performance.now()
        const snapshot = await fetchSnapshot(mirror, {
          url: `${site.url}.git`,
          head,
          campaign: options.campaign,
        })
        if (snapshot !== undefined) {
          report(snapshot, reported, options)
          if (isOver(snapshot)) return snapshot
        }
      }
      if (performance.now() - movedAt > STILL_MS) throw standstill()
      await delay(LOOK_MS, undefined, { signal: options.signal })
    }
  } finally {
    await mirror.close()
  }
}

async function openMirror(folder: string): Promise<OpenGit> {
  const environment = createGitEnvironment(process.env)
  await createBorrowingRepository(folder, [], environment)
  return await openGit(folder, environment)
}

async function findStateHead({ maintainer, repo }: Site): Promise<string | undefined> {
  const { data } = await maintainer.request('GET /repos/{owner}/{repo}/git/matching-refs/{ref}', {
    ...repo,
    ref: STATE_REF.slice('refs/'.length),
  })
  return data[0]?.object.sha
}

async function fetchSnapshot(
  mirror: OpenGit,
  { url, head, campaign }: { url: string; head: string; campaign: string },
): Promise<Snapshot | undefined> {
  await fetchCommits(mirror.repository, { url, commits: [head] }, runGit)
  await mirror.refs.apply([{ ref: STATE_REF, to: head, from: 'any' }])
  return await mirror.store.load(campaign)
}

function report(snapshot: Snapshot, reported: Set<number>, { onEntry }: WatchOptions): void {
  for (const entry of snapshot.state.ledger.tail) {
    if (reported.has(entry.ordinal)) continue
    reported.add(entry.ordinal)
    onEntry(entry, snapshot)
  }
}

function isOver({ state }: Snapshot): boolean {
  const { status, control } = state.campaign
  // Too much noise is a result, too.
  if (status.phase === 'paused' && status.reason === 'too-noisy') return true
  if (status.phase === 'paused')
    throw new LoreleyError(
      'demo-failed',
      renderPlainStatus(state),
      'The issue in the sandbox says what to do about it.',
    )
  const isPullDue = control.pulls.some((pull) => pull.status === 'confirming' || pull.status === 'confirmed')
  return status.phase === 'finished' && !isPullDue && control.unchecked.length === 0
}

function standstill(): LoreleyError {
  const minutes = STILL_MS / 60_000
  return new LoreleyError(
    'demo-failed',
    `Nothing has happened for ${minutes} minutes.`,
    'Start again with --keep and check the runs in the sandbox.',
  )
}
