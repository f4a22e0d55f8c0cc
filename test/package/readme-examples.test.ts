import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it.each([
  ['sandbox', 'success\n'],
  ['core', '16 -0.0\n'],
])('the example in the README of loreley/%s runs against the built package', async (name, prints) => {
  const readme = await readFile(join(ROOT, 'src', name, 'README.md'), 'utf8')
  const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? []
  expect(example).toContain(`from 'loreley/${name}'`)
  const folder = await mkdtemp(join(tmpdir(), 'loreley-example-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // Resolve the name as in an installed package, through its `exports`.
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules', 'loreley'))
  await writeFile(join(folder, 'example.mjs'), example)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder })
  expect({ stdout, stderr }).toEqual({ stdout: prints, stderr: '' })
})
