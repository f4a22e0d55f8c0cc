export const LANGUAGES = [
  'javascript',
  'typescript',
  'python',
  'go',
  'rust',
  'java',
  'kotlin',
  'ruby',
  'php',
  'c',
  'c++',
  'c#',
  'shell',
] as const
export type Language = (typeof LANGUAGES)[number]

/** What the files of a repository reveal. */
export interface Detected {
  readonly language: Language | 'unknown'
  readonly packageManager?: string | undefined
  /** Installs dependencies into the folder. */
  readonly setup?: string | undefined
  readonly test?: string | undefined
  readonly benchmark?: string | undefined
  readonly editable: readonly string[]
  readonly protected: readonly string[]
}

/** The commands of one ecosystem. */
export type Commands = Pick<Detected, 'packageManager' | 'setup' | 'test' | 'benchmark'>

/** A repository to examine: its tracked paths and their text. */
export interface Project {
  readonly files: readonly string[]
  has(path: string): boolean
  /** The first of these paths that exists at the root. */
  findFirst(paths: readonly string[]): string | undefined
  /** Whether any path matches. */
  some(pattern: RegExp): boolean
  /** The text of a file; empty if it is missing. */
  read(path: string): Promise<string>
}

/** Wraps a list of tracked paths. */
export function createProject(
  files: readonly string[],
  readText: (path: string) => Promise<string | undefined>,
): Project {
  const paths = new Set(files)
  return {
    files,
    has: (path) => paths.has(path),
    findFirst: (candidates) => candidates.find((path) => paths.has(path)),
    some: (pattern) => files.some((path) => pattern.test(path)),
    read: async (path) => (paths.has(path) ? ((await readText(path)) ?? '') : ''),
  }
}
