import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Brief } from '../../../src/agents/agent.ts'
import { createOfflineAgent } from '../../../src/agents/offline/agent.ts'
import { readSource } from '../../../src/agents/offline/source/read-source.ts'
import { LENSES, OPERATORS } from '../../../src/core/planning/operators.ts'
import { SAMPLES } from './samples.ts'
import { aTask, textsIn, withWorkspace } from './workspace.ts'

const agent = createOfflineAgent()
const PLAN = { text: '' }

async function edited(files: Readonly<Record<string, string>>, seed: number, brief: Partial<Brief> = {}) {
  return withWorkspace(files, {}, async (workspace) => {
    const outcome = await agent.code(aTask(workspace, seed, brief), PLAN)
    return { outcome, texts: await textsIn(workspace.folder, Object.keys(files)) }
  })
}

describe('the offline agent', () => {
  it.each(Object.entries(SAMPLES))('changes %s and keeps its syntax', async (path, text) => {
    expect((await readSource(path, text)).broken).toBe(false)
    for (let seed = 0; seed < 10; seed++) {
      const { outcome, texts } = await edited({ [path]: text }, seed)
      expect(outcome.status).toBe('changed')
      expect(texts[path]).not.toBe(text)
      expect((await readSource(path, texts[path] ?? '')).broken).toBe(false)
    }
  })

  it('keeps the syntax and a short summary under every operator and lens', async () => {
    const choice = fc.record({
      seed: fc.nat(),
      operator: fc.constantFrom(...OPERATORS),
      lens: fc.constantFrom(undefined, ...LENSES),
    })
    await fc.assert(
      fc.asyncProperty(choice, async ({ seed, operator, lens }) => {
        const { outcome, texts } = await edited(SAMPLES, seed, { operator, lens })
        expect(outcome.status === 'changed' && outcome.summary.length <= 72).toBe(true)
        for (const [path, text] of Object.entries(texts))
          expect((await readSource(path, text)).broken, path).toBe(false)
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  it('gives the same bytes for the same generator, planned or not', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const first = await edited(SAMPLES, seed)
      const second = await withWorkspace(SAMPLES, {}, async (workspace) => {
        const task = aTask(workspace, seed)
        const outcome = await agent.code(task, await agent.plan(task))
        return { outcome, texts: await textsIn(workspace.folder, Object.keys(SAMPLES)) }
      })
      expect(second).toEqual(first)
    }
  })

  it('touches no path outside the editable ones', async () => {
    const files = { 'src/a.js': 'const a = 1\n', 'test/a.js': 'const a = 1\n' }
    for (let seed = 0; seed < 10; seed++) {
      await withWorkspace(files, { editablePaths: ['src/a.js'] }, async (workspace) => {
        await agent.code(aTask(workspace, seed), PLAN)
        expect((await textsIn(workspace.folder, ['test/a.js']))['test/a.js']).toBe('const a = 1\n')
      })
    }
  })

  it('the offline agent does not follow a link out of the scope', async () => {
    const files = { 'secret.js': 'const a = 1\n' }
    await withWorkspace(files, { editablePaths: ['link.js'] }, async (workspace) => {
      await symlink('secret.js', join(workspace.folder, 'link.js'))
      const outcome = await agent.code(aTask(workspace, 1), PLAN)
      expect(outcome).toMatchObject({
        status: 'unchanged',
        reason: expect.stringContaining('no editable text file'),
      })
      expect(await textsIn(workspace.folder, ['secret.js'])).toEqual(files)
    })
  })

  it('keeps CRLF line ends and a byte-order mark', async () => {
    const text = '\uFEFFlet a = 1\r\na += 2\r\nlog(a * 3)\r\na -= 4'
    for (let seed = 0; seed < 30; seed++) {
      const after = (await edited({ 'a.js': text }, seed)).texts['a.js'] ?? ''
      expect(after).toMatch(/^\uFEFF(let|a|log)/)
      expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      expect(after).not.toMatch(/\n$/)
    }
  })

  it('edits a file that does not parse as it is', async () => {
    const { outcome } = await edited({ 'a.js': 'const a = 1 +\nif {\n' }, 3)
    expect(outcome.status).toBe('changed')
  })

  it('says why nothing was changed', async () => {
    const { outcome } = await edited({ 'a.txt': 'word' }, 1)
    expect(outcome).toMatchObject({
      status: 'unchanged',
      reason: expect.stringContaining('no edit was found'),
    })
  })

  it('leaves binary and oversize files alone', async () => {
    await withWorkspace(
      { 'big.js': 'a = 1\n'.repeat(50_000) },
      { editablePaths: ['big.js', 'raw.js'] },
      async (workspace) => {
        await writeFile(join(workspace.folder, 'raw.js'), Buffer.from([0x61, 0x3d, 0x31, 0xff, 0x0a]))
        expect((await agent.code(aTask(workspace, 1), PLAN)).status).toBe('unchanged')
      },
    )
  })

  it('plans in words what it may do', async () => {
    await withWorkspace(SAMPLES, {}, async (workspace) => {
      const { text } = await agent.plan(aTask(workspace, 1, { lens: { name: 'simplification', ask: '' } }))
      expect(text).toContain('drop-statement')
      expect(text).toContain('lens simplification')
    })
  })
})
