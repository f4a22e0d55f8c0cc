// Bundles the action to action/dist, which is committed: GitHub runs it as it is, without npm. With --check
// nothing is written, and a file that differs from what the sources give, or that they do not give, ends the run with
// exit code 1.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const committed = join(root, 'action/dist')
const asked = process.argv.indexOf('--out')
const out = asked < 0 ? committed : resolve(root, process.argv[asked + 1] ?? '')

// Packages that are CommonJS ask for Node's modules by require, which an ES module does not have.
const REQUIRE =
  "import { createRequire as loreleyRequire } from 'node:module'; const require = loreleyRequire(import.meta.url);"

// @actions/core can also ask for identity tokens, over a web client of half a megabyte. Nothing here does: told that
// loading the client has no effect of its own, the bundler leaves it out.
const withoutUnusedClient = {
  name: 'without-unused-client',
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /^@actions\/http-client/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'asked') return undefined
      const { kind, importer, resolveDir } = from
      const found = await find(path, { kind, importer, resolveDir, pluginData: 'asked' })
      return { ...found, sideEffects: false }
    })
  },
}

async function bundle() {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/entrypoints/action/main.ts' },
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    // What the runner has is newer; the tests also run the bundle on the oldest Node that we support.
    target: 'node20',
    banner: { js: REQUIRE },
    // Names stay: a stack trace, and a maintainer who looks inside, should be able to follow.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [withoutUnusedClient],
  })
  return new Map(result.outputFiles.map((file) => [basename(file.path), Buffer.from(file.contents)]))
}

/** Grammars are read one at a time, and only by an agent that edits syntax: they stay out of the main file. */
function grammars() {
  const runtime = join(root, 'node_modules/web-tree-sitter/web-tree-sitter.wasm')
  const folder = join(root, 'node_modules/@vscode/tree-sitter-wasm/wasm')
  const named = readdirSync(folder).filter((name) => /^tree-sitter-.*\.wasm$/.test(name))
  return new Map(
    [runtime, ...named.map((name) => join(folder, name))].map((path) => [basename(path), readFileSync(path)]),
  )
}

const stale = (name, bytes) => !existsSync(join(out, name)) || !readFileSync(join(out, name)).equals(bytes)

// What the build does not make is in no review of the sources either, and could still be loaded.
function extras(made) {
  const entries = existsSync(out) ? readdirSync(out, { recursive: true, withFileTypes: true }) : []
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(out, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((name) => !made.has(name))
}

// Packing takes a minute, and its bytes may differ between versions of zlib: one that unpacks to the same is kept.
function pack(name, bytes) {
  const packed = join(committed, 'wasm', name)
  const kept = existsSync(packed) ? readFileSync(packed) : undefined
  return kept && brotliDecompressSync(kept).equals(bytes) ? kept : brotliCompressSync(bytes)
}

const files = await bundle()
for (const [name, bytes] of grammars()) files.set(`wasm/${name}.br`, pack(`${name}.br`, bytes))
const differing = [...files].filter(([name, bytes]) => stale(name, bytes)).map(([name]) => name)
if (process.argv.includes('--check')) {
  const foreign = extras(files)
  for (const name of differing) console.error(`action/dist/${name} is stale: run npm run build:action`)
  for (const name of foreign) console.error(`action/dist/${name} is not made by the build: remove it`)
  process.exitCode = differing.length + foreign.length === 0 ? 0 : 1
} else {
  mkdirSync(join(out, 'wasm'), { recursive: true })
  for (const name of differing) writeFileSync(join(out, name), files.get(name))
}
