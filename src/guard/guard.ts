import { findCollisions } from './collisions.ts'
import { isAlwaysProtected, isUnsafePath } from './path-names.ts'
import { createPathMatcher } from './path-patterns.ts'

/** One path of a diff; without `before` it is new, without `after` deleted. Modes as git prints them. */
export interface ChangedPath {
  readonly path: string
  readonly before?: { readonly mode: string; readonly blob: string } | undefined
  readonly after?:
    | { readonly mode: string; readonly blob: string; readonly bytes: number; readonly binary: boolean }
    | undefined
}

/** What candidates may do. Patterns read as in .gitignore (see path-patterns.ts). */
export interface GuardRules {
  readonly editable: readonly string[]
  readonly protected: readonly string[]
  /** Paths from the root: files, folders or globs. */
  readonly evaluatorFiles: readonly string[]
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxTotalBytes: number
}

/** Why a change is blocked, the gravest first: of several reasons the first in this list is given. */
export const GUARD_REASONS = [
  'protected-path',
  'unsafe-path',
  'symlink',
  'submodule',
  'mode-change',
  'path-collision',
  'outside-scope',
  'binary',
  'file-too-large',
  'too-many-files',
  'change-too-large',
] as const
/** One reason of the list. */
export type GuardReason = (typeof GUARD_REASONS)[number]

/** Whether a diff may go on to be evaluated. */
export type GuardVerdict =
  | { readonly status: 'clean' }
  | { readonly status: 'blocked'; readonly reason: GuardReason; readonly paths: readonly string[] }

/** The rules, ready to be applied. */
export interface Guard {
  /** Judges a whole diff. The verdict does not depend on the order of the changes; its paths are sorted. */
  check(changes: readonly ChangedPath[]): GuardVerdict
  /** True when a file at this path may be changed at all. */
  isEditable(path: string): boolean
}

type Check = (changes: readonly ChangedPath[]) => readonly ChangedPath[]

const SYMLINK = '120000'
const SUBMODULE = '160000'
const FILE = '100644'
const EXECUTABLE = '100755'

/** Compiles the rules once, for many diffs. */
export function createGuard(rules: GuardRules): Guard {
  const isInScope = createPathMatcher(rules.editable, { ignoreCase: false })
  const isConfiguredProtected = createPathMatcher(rules.protected, { ignoreCase: true })
  const isEvaluator = createPathMatcher(rules.evaluatorFiles, { ignoreCase: true, anchored: true })
  // An unsafe path goes to no pattern: it may be long and made to keep a regular expression busy.
  const isProtected = (path: string) =>
    isAlwaysProtected(path) || (!isUnsafePath(path) && (isConfiguredProtected(path) || isEvaluator(path)))

  const checks: Readonly<Record<GuardReason, Check>> = {
    'protected-path': each(({ path }) => isProtected(path)),
    'unsafe-path': each(({ path }) => isUnsafePath(path)),
    symlink: each((change) => hasMode(change, SYMLINK)),
    submodule: each((change) => hasMode(change, SUBMODULE)),
    'mode-change': each(changesMode),
    'path-collision': findCollisions,
    'outside-scope': each(({ path }) => !isInScope(path)),
    binary: each(({ after }) => after?.binary === true),
    'file-too-large': each(({ after }) => !(bytesOf(after) <= rules.maxFileBytes)),
    'too-many-files': (changes) => (changes.length > rules.maxFiles ? changes : []),
    'change-too-large': (changes) => (totalBytes(changes) <= rules.maxTotalBytes ? [] : changes),
  }

  return {
    check: (changes) => {
      for (const reason of GUARD_REASONS) {
        const paths = checks[reason](changes).map(({ path }) => path)
        if (paths.length > 0) return { status: 'blocked', reason, paths: [...new Set(paths)].sort() }
      }
      return { status: 'clean' }
    },
    isEditable: (path) => !isProtected(path) && !isUnsafePath(path) && isInScope(path),
  }
}

function each(isBad: (change: ChangedPath) => boolean): Check {
  return (changes) => changes.filter(isBad)
}

function hasMode({ before, after }: ChangedPath, mode: string): boolean {
  return before?.mode === mode || after?.mode === mode
}

// New files are plain: a candidate has no say in what can be executed. Whatever git might call the rest (a
// folder, an old mode) is no file that we know how to write back byte for byte.
function changesMode({ before, after }: ChangedPath): boolean {
  if (before !== undefined && before.mode !== FILE && before.mode !== EXECUTABLE) return true
  return after !== undefined && after.mode !== (before?.mode ?? FILE)
}

function bytesOf(after: ChangedPath['after']): number {
  return after?.bytes ?? 0
}

function totalBytes(changes: readonly ChangedPath[]): number {
  return changes.reduce((sum, { after }) => sum + bytesOf(after), 0)
}
