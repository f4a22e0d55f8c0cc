import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { Language, Parser } from 'web-tree-sitter'

const GRAMMARS: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'cpp',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'c-sharp',
  css: 'css',
  cts: 'typescript',
  cxx: 'cpp',
  go: 'go',
  h: 'cpp',
  hpp: 'cpp',
  java: 'java',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  mts: 'typescript',
  php: 'php',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  ts: 'typescript',
  tsx: 'tsx',
}

/** Languages in which mixing integers and floats is an error or loses the fraction. */
const STRICT_NUMBERS: ReadonlySet<string> = new Set(['bash', 'c-sharp', 'cpp', 'go', 'java', 'rust'])

/** A parser with the facts about its language that the tree does not show. */
export interface LanguageParser {
  readonly parser: Parser
  readonly strictNumbers: boolean
}

// Loading a grammar takes 20 ms and its memory is never freed: once per process and language.
const loaded = new Map<string, Promise<LanguageParser>>()
let runtime: Promise<void> | undefined

/** The name of the grammar for a path, by extension. */
export function findGrammar(path: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(GRAMMARS, extension) ? GRAMMARS[extension] : undefined
}

/** The parser for a path; undefined when there is no grammar. */
export async function parserFor(path: string): Promise<LanguageParser | undefined> {
  const grammar = findGrammar(path)
  if (grammar === undefined) return undefined
  const known = loaded.get(grammar)
  if (known !== undefined) return known
  const loading = load(grammar)
  loaded.set(grammar, loading)
  return loading
}

async function load(grammar: string): Promise<LanguageParser> {
  runtime ??= readWasm('web-tree-sitter/web-tree-sitter.wasm').then((wasmBinary) =>
    Parser.init({ wasmBinary }),
  )
  await runtime
  const parser = new Parser()
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`
  parser.setLanguage(await Language.load(await readWasm(file)))
  return { parser, strictNumbers: STRICT_NUMBERS.has(grammar) }
}

const unpack = promisify(brotliDecompress)

/** The bytes of a WebAssembly file: packed beside the action's bundle, else from the installed package. */
async function readWasm(packagePath: string): Promise<Uint8Array> {
  const name = packagePath.slice(packagePath.lastIndexOf('/') + 1)
  const packed = await readFile(fileURLToPath(new URL(`wasm/${name}.br`, import.meta.url))).catch(
    () => undefined,
  )
  if (packed !== undefined) return await unpack(packed)
  return await readFile(createRequire(import.meta.url).resolve(packagePath))
}
