import type { ChangedPath, GuardRules } from '../../src/guard/guard.ts'

interface After {
  readonly mode?: string
  readonly bytes?: number
  readonly binary?: boolean
}

const blob = 'a'.repeat(40)

/** A new file. */
export function aChange(path: string, after: After = {}): ChangedPath {
  return { path, after: { mode: '100644', blob, bytes: 10, binary: false, ...after } }
}

/** A file with new content. */
export function anEdit(
  path: string,
  { from = '100644', ...after }: After & { from?: string } = {},
): ChangedPath {
  return { ...aChange(path, after), before: { mode: from, blob: 'b'.repeat(40) } }
}

export function aDeletion(path: string, mode = '100644'): ChangedPath {
  return { path, before: { mode, blob } }
}

export function someRules(): GuardRules {
  return {
    editable: ['src/**'],
    protected: ['src/generated/'],
    evaluatorFiles: ['src/eval/measure.py'],
    maxFiles: 5,
    maxFileBytes: 1000,
    maxTotalBytes: 1500,
  }
}
