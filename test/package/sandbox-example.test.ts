import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it("the example in the sandbox's README runs against the built package", async () => {
  const readme = await readFile(join(ROOT, 'src/sandbox/README.md'), 'utf8')
  const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? []
  expect(example).toContain("from 'loreley/sandbox'")
  const folder = await mkdtemp(join(tmpdir(), 'loreley-example-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // As installed: the package's own `exports` decide what the name stands for.
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules', 'loreley'))
  await writeFile(join(folder, 'example.mjs'), example)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder })
  expect({ stdout, stderr }).toEqual({ stdout: 'success\n', stderr: '' })
})
