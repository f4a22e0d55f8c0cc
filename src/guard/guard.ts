import { type BaseRuleFile, createFilteredTest, createIgnoredTest } from './base-rules.ts'
import { type ChangedPath, countNewLines } from './changed-path.ts'
import { findSecrets } from './detect-secrets.ts'
import { createEvaluatorTest } from './evaluator/evaluator-files.ts'
import { giveTurn } from './give-turn.ts'
import { describeHiddenText, findHiddenText } from './hidden-text.ts'
import { createToolHookTest, type ToolHookTest } from './hooks/tool-hooks.ts'
import { findCollisions, findTwins } from './paths/collisions.ts'
import { isManifest } from './paths/manifests.ts'
import { isAlwaysProtected, isUnsafePath } from './paths/path-names.ts'
import { createPathMatcher } from './paths/path-patterns.ts'
import { changesSnapshot, isSnapshot } from './tests/snapshots.ts'
import { readTests, removesTests, skipsTests } from './tests/tests.ts'

/** What candidates may do. Patterns read as in .gitignore (see path-patterns.ts). */
export interface GuardRules {
  readonly editable: readonly string[]
  readonly protected: readonly string[]
  /** Paths from the root: files, folders or globs. */
  readonly evaluatorFiles: readonly string[]
  /** All files of the root. */
  readonly rootPaths: readonly string[]
  /** The base's `.gitignore` and `.gitattributes` files. */
  readonly baseRules: readonly BaseRuleFile[]
  /** Whether dependencies and their lockfiles may be changed. */
  readonly allowManifests: boolean
  readonly maxFiles: number
  readonly maxLines: number
  readonly maxFileBytes: number
  readonly maxTotalBytes: number
}

/**
 * Why a change is blocked, the gravest first: of several reasons, the first in this list is reported. The limits come before
 * the checks that match patterns, so that no oversized text is scanned.
 */
export const GUARD_REASONS = [
  'protected-path',
  'unsafe-path',
  'symlink',
  'submodule',
  'mode-change',
  'path-collision',
  'ignored-path',
  'filtered-path',
  'manifest',
  'tool-hook',
  'outside-scope',
  'binary',
  'file-too-large',
  'too-many-files',
  'change-too-large',
  'too-many-lines',
  'hidden-text',
  'test-removed',
  'test-skipped',
  'secret',
] as const
/** One reason of the list. */
export type GuardReason = (typeof GUARD_REASONS)[number]

/** Whether a diff may be evaluated. */
export type GuardVerdict =
  | { readonly status: 'clean' }
  | {
      readonly status: 'blocked'
      readonly reason: GuardReason
      readonly paths: readonly string[]
      /** What was found in each path, where the reason alone does not say it. */
      readonly details?: readonly string[]
    }

/** The compiled rules. */
export interface Guard {
  /**
   * Judges a whole diff. The verdict does not depend on the order of the changes; its paths are sorted.
   * `basePaths` are all files of the tree that the diff starts from.
   */
  check(changes: readonly ChangedPath[], basePaths: readonly string[]): Promise<GuardVerdict>
  /** True when a file at this path may be changed, or created, at all. */
  isEditable(path: string, isNew?: boolean): boolean
  /** Why a file at this path may not be changed, or created; undefined if it may. */
  explain(path: string, isNew?: boolean): Refusal | undefined
}

/** Why one path is closed. */
export interface Refusal {
  /** `outside-scope` if the config says so: not editable, or protected. */
  readonly kind:
    | 'outside-scope'
    | 'control-file'
    | 'evaluator'
    | 'unsafe-path'
    | 'manifest'
    | 'tool-hook'
    | 'snapshot'
  readonly why: string
}

/** What each kind of refusal is called, in briefs, messages and reports. */
export const REFUSALS: Readonly<Record<Refusal['kind'], string>> = {
  'outside-scope': 'outside the scope of the campaign',
  evaluator: "the evaluator's own files",
  manifest: 'manifests, lockfiles and build files',
  'tool-hook': 'files that tools load by themselves',
  snapshot: 'recorded expectations of tests',
  'control-file': 'files that control the repository, CI or agents',
  'unsafe-path': 'names that some systems read differently',
}

type Found = readonly ChangedPath[] | Promise<readonly ChangedPath[]>
type Check = (changes: readonly ChangedPath[], basePaths: readonly string[]) => Found

const SYMLINK = '120000'
const SUBMODULE = '160000'
const FILE = '100644'
const EXECUTABLE = '100755'

/** Compiles the rules once, for many diffs. */
export function createGuard(rules: GuardRules): Guard {
  const isInScope = createPathMatcher(rules.editable, { ignoreCase: false })
  const isConfiguredProtected = createPathMatcher(rules.protected, { ignoreCase: true })
  const isEvaluator = createEvaluatorTest(rules.evaluatorFiles)
  const isToolHook = createToolHookTest(rules)
  // An unsafe path is matched against no pattern: it may be crafted to stall a regular expression.
  const isProtected = (path: string) =>
    isAlwaysProtected(path) || (!isUnsafePath(path) && (isConfiguredProtected(path) || isEvaluator(path)))
  const checks: Readonly<Record<GuardReason, Check>> = {
    ...pathChecks(rules, { isProtected, isInScope, isToolHook }),
    ...contentChecks(rules),
  }
  const explain = (path: string, isNew = false): Refusal | undefined => {
    if (isUnsafePath(path)) return { kind: 'unsafe-path', why: REFUSALS['unsafe-path'] }
    if (!isInScope(path) || isConfiguredProtected(path))
      return { kind: 'outside-scope', why: REFUSALS['outside-scope'] }
    if (isAlwaysProtected(path)) return { kind: 'control-file', why: REFUSALS['control-file'] }
    if (isEvaluator(path)) return { kind: 'evaluator', why: REFUSALS.evaluator }
    if (!rules.allowManifests && isManifest(path)) return { kind: 'manifest', why: REFUSALS.manifest }
    const hook = isToolHook(path, isNew)
    if (hook !== undefined) return { kind: 'tool-hook', why: hook }
    return !isNew && isSnapshot(path) ? { kind: 'snapshot', why: REFUSALS.snapshot } : undefined
  }
  return {
    check: async (changes, basePaths) => {
      for (const reason of GUARD_REASONS) {
        const found = await checks[reason](changes, basePaths)
        if (found.length === 0) continue
        const paths = [...new Set(found.map(({ path }) => path))].sort()
        if (reason !== 'hidden-text') return { status: 'blocked', reason, paths }
        return { status: 'blocked', reason, paths, details: found.map(describeHiddenText).sort() }
      }
      return { status: 'clean' }
    },
    isEditable: (path, isNew) => explain(path, isNew) === undefined,
    explain,
  }
}

type ContentReason = 'hidden-text' | 'test-removed' | 'test-skipped' | 'binary' | 'secret' | LimitReason
type LimitReason = 'file-too-large' | 'too-many-files' | 'too-many-lines' | 'change-too-large'

interface PathTests {
  readonly isProtected: (path: string) => boolean
  readonly isInScope: (path: string) => boolean
  readonly isToolHook: ToolHookTest
}

function pathChecks(
  rules: GuardRules,
  { isProtected, isInScope, isToolHook }: PathTests,
): Readonly<Record<Exclude<GuardReason, ContentReason>, Check>> {
  const isIgnored = createIgnoredTest(rules.baseRules)
  const isFiltered = createFilteredTest(rules.baseRules)
  return {
    'protected-path': each(({ path }) => isProtected(path)),
    'unsafe-path': each(({ path }) => isUnsafePath(path)),
    symlink: each((change) => hasMode(change, SYMLINK)),
    submodule: each((change) => hasMode(change, SUBMODULE)),
    'mode-change': each(changesMode),
    'path-collision': (changes, basePaths) => [...findCollisions(changes), ...findTwins(changes, basePaths)],
    'ignored-path': each(({ path, before }) => before === undefined && isIgnored(path)),
    'filtered-path': each(({ path }) => isFiltered(path)),
    manifest: each(({ path }) => !rules.allowManifests && isManifest(path)),
    'tool-hook': each(({ path, before }) => isToolHook(path, before === undefined) !== undefined),
    'outside-scope': each(({ path }) => !isInScope(path)),
  }
}

function contentChecks(rules: GuardRules): Readonly<Record<ContentReason, Check>> {
  return {
    binary: each(({ after }) => after?.binary === true),
    'file-too-large': each(({ after }) => !(bytesOf(after) <= rules.maxFileBytes)),
    'too-many-files': (changes) => (changes.length > rules.maxFiles ? changes : []),
    'change-too-large': (changes) =>
      totalOf(changes, ({ after }) => bytesOf(after)) <= rules.maxTotalBytes ? [] : changes,
    'too-many-lines': (changes) => (totalOf(changes, countNewLines) > rules.maxLines ? changes : []),
    'hidden-text': eachText((change) => findHiddenText(change) !== undefined),
    'test-removed': eachText(async (change) => {
      await readTests(change)
      return removesTests(change) || changesSnapshot(change)
    }),
    'test-skipped': eachText(skipsTests),
    secret: findSecrets,
  }
}

function each(isBad: (change: ChangedPath) => boolean): Check {
  return (changes) => changes.filter(isBad)
}

/** The same for checks that scan whole texts. */
function eachText(isBad: (change: ChangedPath) => boolean | Promise<boolean>): Check {
  return async (changes) => {
    const found: ChangedPath[] = []
    let scanned = 0
    for (const change of changes) {
      if (await isBad(change)) found.push(change)
      scanned = await giveTurn(
        scanned + (change.before?.text ?? '').length + (change.after?.text ?? '').length,
      )
    }
    return found
  }
}

function hasMode({ before, after }: ChangedPath, mode: string): boolean {
  return before?.mode === mode || after?.mode === mode
}

// New files are plain: a candidate may not decide what is executable. Other modes (a folder, an old mode) are not files that
// we can write back byte for byte.
function changesMode({ before, after }: ChangedPath): boolean {
  if (before !== undefined && before.mode !== FILE && before.mode !== EXECUTABLE) return true
  return after !== undefined && after.mode !== (before?.mode ?? FILE)
}

function bytesOf(after: ChangedPath['after']): number {
  return after?.bytes ?? 0
}

function totalOf(changes: readonly ChangedPath[], amountOf: (change: ChangedPath) => number): number {
  return changes.reduce((sum, change) => sum + amountOf(change), 0)
}
