import type { ChangedPath } from '../../src/guard/changed-path.ts'
import type { GuardRules } from '../../src/guard/guard.ts'

interface After {
  readonly mode?: string
  readonly bytes?: number
  readonly binary?: boolean
  readonly text?: string
}

const blob = 'a'.repeat(40)

/** A new file. */
export function aChange(path: string, after: After = {}): ChangedPath {
  return { path, after: { mode: '100644', blob, bytes: 10, binary: false, text: 'x', ...after } }
}

/** A file with new content. */
export function anEdit(
  path: string,
  { from = '100644', was = '', ...after }: After & { from?: string; was?: string } = {},
): ChangedPath {
  return { ...aChange(path, after), before: { mode: from, blob: 'b'.repeat(40), text: was } }
}

export function aDeletion(path: string, mode = '100644'): ChangedPath {
  return { path, before: { mode, blob } }
}

export function someRules(): GuardRules {
  return {
    editable: ['src/**'],
    protected: ['src/generated/'],
    evaluatorFiles: ['src/eval/measure.py'],
    rootPaths: [],
    baseRules: [],
    allowManifests: false,
    maxFiles: 5,
    maxLines: 20,
    maxFileBytes: 1000,
    maxTotalBytes: 1500,
  }
}
