import { diffArrays } from 'diff'
import type { FileChurn } from '../../core/candidate/commit-card.ts'
import type { ChangeStats } from '../../core/space/descriptor.ts'
import type { PathChange } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'

// Beyond this many edited lines in one file the exact count is not worth its quadratic time.
const MAX_EDIT_LINES = 2000

/** Counts changed lines over a whole diff. Binary files count as files without lines. */
export async function countChange(
  changes: readonly PathChange[],
  objects: ObjectStore,
): Promise<ChangeStats> {
  const files = await countFiles(changes, objects)
  const total = (of: (file: FileChurn) => number): number => files.reduce((sum, file) => sum + of(file), 0)
  return {
    files: files.length,
    linesAdded: total((file) => file.linesAdded),
    linesRemoved: total((file) => file.linesRemoved),
  }
}

/** Counts changed lines file by file. */
export async function countFiles(
  changes: readonly PathChange[],
  objects: ObjectStore,
): Promise<readonly FileChurn[]> {
  const files: FileChurn[] = []
  for (const { path, before, after } of changes) {
    const { added, removed } = countLines(
      await readLines(before?.blob, objects),
      await readLines(after?.blob, objects),
    )
    files.push({ path, linesAdded: added, linesRemoved: removed })
  }
  return files
}

function countLines(before: readonly string[], after: readonly string[]): { added: number; removed: number } {
  const parts = diffArrays([...before], [...after], { maxEditLength: MAX_EDIT_LINES })
  if (parts === undefined) return { added: after.length, removed: before.length }
  const total = (kind: 'added' | 'removed'): number =>
    parts.filter((part) => part[kind]).reduce((sum, part) => sum + part.value.length, 0)
  return { added: total('added'), removed: total('removed') }
}

async function readLines(blob: string | undefined, objects: ObjectStore): Promise<string[]> {
  if (blob === undefined) return []
  const object = await objects.find(blob)
  if (object?.type !== 'blob' || object.content.includes(0)) return []
  const text = object.content.toString('utf8')
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
