import type { Embedding } from '../core/embedding.ts'
import { countLeftOut, type LeftOutReason } from '../core/left-out.ts'
import type { PathChange, FileVersion as Side } from '../git/listing.ts'
import { encodeDelta, stepLength } from './delta.ts'
import type { PathRule } from './eligible.ts'
import type { Embedded } from './embedder.ts'
import { cleanFile, type FileVector, type FileVectors, type FileVersion } from './file-vectors.ts'
import { encodeRepoState, type FileStep, type TreeSum } from './repo-state.ts'
import { findChangedTerms } from './terms.ts'

export interface CandidateOrder {
  /** What differs from the root, in path order. */
  readonly changes: readonly PathChange[]
  readonly vectors: FileVectors
  readonly rule: PathRule
  /** With the sum over the root's files the whole repository is described, else the change alone. */
  readonly root?: TreeSum | undefined
}

export interface EmbeddedCandidate {
  readonly embedding: Embedding
  readonly usage: Embedded['usage']
}

/** Describes a candidate by what differs from the root. Only the blobs of changed paths are embedded. */
export async function embedCandidate(order: CandidateOrder): Promise<EmbeddedCandidate> {
  const { vectors, rule, root } = order
  const sides = order.changes.map(({ path, before, after }) => ({
    path,
    before: before && judge(rule, path, before),
    after: after && judge(rule, path, after),
  }))
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
    files: findHeaviest(steps, dimensions),
    terms: findChangedTerms(await Promise.all(sides.map((side) => readTexts(side, vectors)))),
    ...(leftOut.length > 0 && { leftOut: countLeftOut(leftOut) }),
  }
  return { embedding, usage }
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
  { before, after }: { readonly before: Judged; readonly after: Judged },
  { readBlob }: FileVectors,
): Promise<{ before: string; after: string }> {
  const read = async (side: Judged): Promise<string> => {
    if (!isEligible(side)) return ''
    const clean = cleanFile(side.path, await readBlob(side.blob))
    return typeof clean === 'string' ? '' : clean.text
  }
  return { before: await read(before), after: await read(after) }
}
