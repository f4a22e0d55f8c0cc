// Compiles src/ to dist/. A clean folder each time: a file deleted from src/ must not live on in the package.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleStandIns } from './bundle-stand-ins.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${root}/dist`, { recursive: true, force: true })
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
// The sandbox reads GitHub's descriptions at run time.
cpSync(`${root}/src/sandbox/contract`, `${root}/dist/sandbox/contract`, {
  recursive: true,
  filter: (file) => !file.endsWith('.ts'),
})
await bundleStandIns(root)
chmodSync(`${root}/dist/entrypoints/cli/main.js`, 0o755)
