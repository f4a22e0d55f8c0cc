import { cleanText } from '../core/clean-text.ts'
import { type Embedding, LABEL_CHARACTERS } from '../core/space/embedding.ts'
import { countLeftOut, type LeftOutReason } from '../core/space/left-out.ts'
import type { PathChange, FileVersion as Side } from '../git/listing.ts'
import { encodeDelta, stepLength } from './delta.ts'
import type { PathRule } from './eligible.ts'
import type { Embedded } from './embedder.ts'
import { type FileVector, type FileVectors, type FileVersion, keyOf } from './file-vectors.ts'
import { encodeRepoState, type TreeSum } from './repo-state.ts'
import { findChangedTerms } from './terms.ts'
import type { FileStep } from './vectors.ts'

export interface EmbeddingRequest {
  /** What differs from the root, in path order. */
  readonly changes: readonly PathChange[]
  readonly vectors: FileVectors
  readonly rule: PathRule
  /** With the sum over the root's files, describes the whole repository; without it, the change alone. */
  readonly root?: TreeSum | undefined
}

export interface EmbeddedCandidate {
  readonly embedding: Embedding
  readonly usage: Embedded['usage']
}

/** Describes a candidate by its difference from the root. Only blobs of changed paths are embedded. */
export async function embedCandidate(request: EmbeddingRequest): Promise<EmbeddedCandidate> {
  const { vectors, rule, root } = request
  const sides = dropMoved(
    request.changes.map(({ path, before, after }) => ({
      path,
      before: before && judge(rule, path, before),
      after: after && judge(rule, path, after),
    })),
  )
  const versions = sides.flatMap(({ before, after }) => [before, after].filter(isEligible))
  const { files, usage } = await vectors.embed(versions)
  const found = new Map(versions.map((version, index) => [version, files[index]]))
  const steps = sides.map(({ path, before, after }) => ({
    path,
    before: isEligible(before) ? found.get(before) : before,
    after: isEligible(after) ? found.get(after) : after,
  }))
  const leftOut = steps.flatMap(({ before, after }) => findReason(after ?? before) ?? [])
  const { dimensions } = vectors.embedder
  const embedding = {
    vector: root === undefined ? encodeDelta(steps, dimensions) : encodeRepoState(steps, root),
    files: findHeaviest(steps, dimensions).map(toLabel),
    terms: findChangedTerms(await Promise.all(sides.map((side) => readTexts(side, vectors)))).map(toLabel),
    ...(leftOut.length > 0 && { leftOut: countLeftOut(leftOut) }),
  }
  return { embedding, usage }
}

// A file name that the state refuses would cost the candidate its niche.
function toLabel(text: string): string {
  return cleanText(text.replaceAll(/\s/g, ' '), LABEL_CHARACTERS)
}

function findReason(file: FileVector | undefined): LeftOutReason | undefined {
  return file?.status === 'left-out' ? file.reason : undefined
}

type Judged = FileVersion | { readonly status: 'left-out'; readonly reason: LeftOutReason } | undefined

function judge(rule: PathRule, path: string, { mode, blob }: Side): Judged {
  const reason = rule(path, mode)
  return reason === undefined ? { path, blob } : { status: 'left-out', reason }
}

function isEligible(side: Judged): side is FileVersion {
  return side !== undefined && 'blob' in side
}

interface Sides {
  readonly path: string
  readonly before: Judged
  readonly after: Judged
}

/** Drops renamed files: they are equal on both sides, so they are neither read nor paid for. */
function dropMoved(sides: readonly Sides[]): Sides[] {
  const [before, after] = [sides.map((side) => side.before), sides.map((side) => side.after)]
  const [gone, come] = [without(before, after), without(after, before)]
  return sides.map(({ path }, index) => ({ path, before: gone[index], after: come[index] }))
}

// Drops each as often as the others contain it; of equal ones, the first in path order.
function without(files: readonly Judged[], others: readonly Judged[]): Judged[] {
  const counts = new Map<string, number>()
  for (const key of others.filter(isEligible).map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return files.map((file) => {
    const key = isEligible(file) ? keyOf(file) : ''
    const count = counts.get(key) ?? 0
    if (count === 0) return file
    counts.set(key, count - 1)
    return undefined
  })
}

const MOST_FILES = 4

function findHeaviest(steps: readonly FileStep[], dimensions: number): string[] {
  return steps
    .map((step) => ({ path: step.path, length: stepLength(step, dimensions) }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => b.length - a.length || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path }) => path)
}

async function readTexts(
  { before, after }: Sides,
  vectors: FileVectors,
): Promise<{ before: string; after: string }> {
  const read = async (side: Judged): Promise<string> => {
    const clean = isEligible(side) ? await vectors.read(side) : ''
    return typeof clean === 'string' ? '' : clean.text
  }
  return { before: await read(before), after: await read(after) }
}
