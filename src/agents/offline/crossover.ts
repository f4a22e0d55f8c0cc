import { pick, type Rng, shuffled } from '../../core/rng.ts'
import type { AgentTask } from '../agent.ts'
import type { Draft } from './draft.ts'
import { applyHunks, conflict, findHunks, type Hunk, sameHunk } from './hunks.ts'
import type { Deed } from './summary.ts'

// Each file costs two reads from the archive; a repository of thousands is sampled.
const MAX_FILES = 300
const MAX_TRIES = 4

/** A file in which the second parent has changes that the first one lacks. */
interface Meeting {
  readonly path: string
  readonly root: string
  readonly own: readonly Hunk[]
  readonly donated: readonly Hunk[]
}

/** Takes some of the second parent's changes into the first parent's files. Returns what was done. */
export async function crossover(draft: Draft, task: AgentTask): Promise<Deed[]> {
  const donor = task.brief.inspirations[0]?.ordinal
  if (donor === undefined) return []
  const meetings = await findMeetings(draft, donor, task)
  const all = meetings.flatMap((meeting) => meeting.donated.map((hunk) => ({ meeting, hunk })))
  if (all.length === 0) return []
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const certain = pick(all, task.rng)
    const chosen = all.filter((gift) => gift === certain || task.rng.int(2) === 0)
    let taken = 0
    for (const meeting of meetings) {
      const gifts = chosen.filter((gift) => gift.meeting === meeting).map(({ hunk }) => hunk)
      if (gifts.length > 0 && (await draft.offer(meeting.path, combine(meeting, gifts))))
        taken += gifts.length
    }
    if (taken > 0) return [{ verb: 'take', noun: 'change', count: taken, from: donor }]
  }
  return []
}

async function findMeetings(
  draft: Draft,
  donor: number,
  { workspace, rng, signal }: AgentTask,
): Promise<Meeting[]> {
  const meetings: Meeting[] = []
  for (const path of sample(draft, rng)) {
    signal.throwIfAborted()
    const theirs = await workspace.readAt(donor, path)
    const root = await workspace.readAt('root', path)
    if (theirs === undefined || root === undefined || theirs === root) continue
    const mine = (await draft.read(path))?.text
    const own = mine === undefined ? undefined : findHunks(root, mine)
    const donated = findHunks(root, theirs)?.filter((hunk) => !own?.some((other) => sameHunk(other, hunk)))
    if (own !== undefined && donated !== undefined) meetings.push({ path, root, own, donated })
  }
  return meetings
}

function sample(draft: Draft, rng: Rng): string[] {
  const paths = draft.files.map(({ path }) => path)
  return paths.length <= MAX_FILES ? paths : shuffled(paths, rng).slice(0, MAX_FILES)
}

// Where both parents changed the same lines, the second parent's change wins: the first parent's version exists
// already.
function combine({ root, own }: Meeting, gifts: readonly Hunk[]): string {
  const kept = own.filter((hunk) => !gifts.some((gift) => conflict(hunk, gift)))
  return applyHunks(root, [...kept, ...gifts])
}
