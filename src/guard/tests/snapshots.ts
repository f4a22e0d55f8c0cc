import type { ChangedPath } from '../changed-path.ts'
import { createNameTest, splitPatterns } from '../paths/name-patterns.ts'
import { foldName } from '../paths/path-names.ts'

/** Where test tools keep the output that they expect. Patterns as in name-patterns.ts. */
export const SNAPSHOTS: readonly { readonly tool: string; readonly reads: string }[] = [
  { tool: 'Jest, Vitest, AVA, insta', reads: '__snapshots__/ *.snap *.snap.md *.test.js.md *.test.ts.md' },
  { tool: 'image comparison', reads: '__image_snapshots__/ *-snapshots/' },
  { tool: 'syrupy, pytest-snapshot, inline-snapshot', reads: '*.ambr __snapshot__/ .inline-snapshot/' },
  {
    tool: 'Go and others',
    reads: '*.golden *.golden.* {testdata,test,tests,spec}/{golden,goldens,snapshots,expected}/',
  },
  { tool: 'ApprovalTests and Verify', reads: '*.approved.* *.verified.*' },
  { tool: 'testthat', reads: '_snaps/' },
]

const isRecorded = createNameTest(SNAPSHOTS.flatMap(({ reads }) => splitPatterns(reads)))

/** True for a file that holds a test's expected output. */
export function isSnapshot(path: string): boolean {
  return isRecorded(foldName(path))
}

/**
 * True when a recorded expectation is changed or gone: a wrong answer would pass. New files belong to new tests. An entry added to an
 * existing file could repeat the name of another, and the last one counts: so existing files stay as they are.
 */
export function changesSnapshot({ path, before }: ChangedPath): boolean {
  return before !== undefined && isSnapshot(path)
}
