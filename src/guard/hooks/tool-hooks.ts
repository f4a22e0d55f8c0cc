import { createEvaluatorTest } from '../evaluator/evaluator-files.ts'
import { foldName } from '../paths/path-names.ts'
import { findLoadedFiles } from './loaded-files.ts'
import { foldersOfScripts, isPythonStandIn, isPythonStarter } from './python-modules.ts'
import { createShadowTest } from './shadow-names.ts'
import { createStandInTest } from './stand-ins.ts'

/** What is known about the tree that a candidate starts from. */
export interface HookSources {
  /** The evaluator's files, folders and globs. */
  readonly evaluatorFiles: readonly string[]
  /** All files of the root. */
  readonly rootPaths: readonly string[]
}

/** Why a tool would load a path by itself; undefined if none would. */
export type ToolHookTest = (path: string, isNew: boolean) => string | undefined

/**
 * Detects files that a tool loads by itself: the settings and hooks of interpreters, test runners and gate tools, which run inside
 * the evaluator or control how it runs, and (for new files) those that would be loaded in place of another.
 */
export function createToolHookTest({ evaluatorFiles, rootPaths }: HookSources): ToolHookTest {
  const scriptFolders = foldersOfScripts(evaluatorFiles.map(foldName))
  const findStandIn = createStandInTest(rootPaths)
  const findShadow = createShadowTest([
    ...evaluatorFiles,
    ...rootPaths.filter(createEvaluatorTest(evaluatorFiles)),
  ])
  // Projects in D have files of this name; in others they are what compilers leave for make.
  const isDependencyFile = rootPaths.some((path) => path.endsWith('.d'))
    ? () => false
    : (folded: string) => folded.endsWith('.d')
  return (path, isNew) => {
    const folded = foldName(path)
    if (isPythonStarter(folded)) return 'Python imports it when it starts'
    const loaded = findLoadedFiles(folded)
    if (loaded !== undefined) return `${loaded.tool}: ${loaded.why}`
    if (!isNew) return undefined
    if (isPythonStandIn(folded, scriptFolders))
      return 'Python would import it in place of an installed module'
    if (isDependencyFile(folded)) return 'make: `-include *.d` reads it, and it can hold any rule'
    const shadow = findStandIn(folded) ?? findShadow(folded)
    return shadow && `${shadow.language}: ${shadow.why}`
  }
}
