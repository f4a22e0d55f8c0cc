import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { DEMO_SEED } from '../../src/sandbox/demo-seed.ts'
import { startBox } from '../../src/sandbox/server.ts'

it('the commands in docs/how-to/use-the-sandbox.md work as they are written', async () => {
  const text = await readFile(new URL('../../docs/how-to/use-the-sandbox.md', import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block)
  expect(blocks.length).toBeGreaterThan(3)
  const folder = await mkdtemp(join(tmpdir(), 'loreley-docs-'))
  const deviations: string[] = []
  const onDeviation = (deviation: string): void => void deviations.push(deviation)
  const seed = DEMO_SEED
  const box = await startBox({ folder: join(folder, 'state'), environment: process.env, seed, onDeviation })
  onTestFinished(async () => {
    await box.close()
    await rm(folder, { recursive: true, force: true })
  })
  // The files that the page's first command would have written.
  await mkdir(join(folder, 'box'))
  await writeFile(join(folder, 'box', 'demo-app.pem'), box.apps[0]?.privateKey ?? '')
  await writeFile(join(folder, 'box.json'), JSON.stringify({ users: box.users }))
  const script = blocks.join('\n').replaceAll('localhost:8480', new URL(box.url).host)
  await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder })
  expect(deviations).toEqual([])
})
