// Bundles the sandbox's stand-ins for well-known actions. GitHub's libraries go into them at build time: the
// package does not depend on them. `.mjs` runs wherever an action's folder is copied to.
import { cpSync } from 'node:fs'
import { build } from 'esbuild'

const FOLDER = 'sandbox/runner/stand-ins'

export async function bundleStandIns(root) {
  const source = `${root}/src/${FOLDER}`
  const target = `${root}/dist/${FOLDER}`
  await build({
    entryPoints: [`${source}/**/main.ts`, `${source}/**/post.ts`],
    outbase: source,
    outdir: target,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Some of the libraries are CommonJS and ask for Node's own modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    legalComments: 'linked',
    logLevel: 'warning',
  })
  cpSync(source, target, { recursive: true, filter: (file) => !file.endsWith('.ts') })
}
