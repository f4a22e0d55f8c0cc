import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeVector } from '../../../src/core/space/embedding.ts'
import { aJob } from '../../support/workbench.ts'
import { type Clone, type FinishedRun, proposalOf, startActionBox } from '../action-box.ts'

/** A program of the repository, which needs a file beside it: it cannot run elsewhere. */
const FILES = {
  'src/a.js': 'export const a = 12\nexport const b = 30\n',
  'evaluate.mjs': `import { pathToFileURL } from 'node:url'
const { a, b } = await import(pathToFileURL(process.cwd() + '/src/a.js'))
console.log(a + b)
`,
  'tools/embed.cjs': `const texts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
if (process.env.LORELEY_TRUSTED !== process.cwd()) throw new Error('not in the root')
if (!require('node:fs').statSync(process.env.HOME).isDirectory()) throw new Error('no home')
const digits = require('./digits.json')
console.log(JSON.stringify(texts.map((text) => digits.map((digit) => text.split(digit).length - 1))))
`,
  'tools/digits.json': '["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "x", "p"]\n',
}

const COMMAND = 'embedder: { use: command, command: node tools/embed.cjs, dimensions: 12 }'

function filesWith(search: string): Record<string, string> {
  return {
    ...FILES,
    '.loreley.yml': `goal: Smaller numbers.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: minimize }]
evaluation: { command: node "$LORELEY_TRUSTED/evaluate.mjs" }
search: { ${search} }
`,
  }
}

function proposedVector(finished: FinishedRun): readonly number[] {
  const { outcome } = proposalOf(finished)
  const vector = outcome.status === 'proposed' ? outcome.descriptor.embedding?.vector : undefined
  return [...(decodeVector(vector ?? '') ?? [])]
}

function lengthOf(vector: readonly number[]): number {
  return Math.hypot(...vector)
}

/** A commit on the root, as an elite is, to be embedded again. */
async function aRenewal({ git, folder, root }: Clone) {
  writeFileSync(join(folder, 'src/a.js'), 'export const a = 1\nexport const b = 2\n')
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'an elite')
  const [commit, tree] = [await git('rev-parse', 'HEAD'), await git('rev-parse', 'HEAD^{tree}')]
  await git('push', '-q', 'origin', `HEAD:refs/heads/loreley/elite`)
  await git('reset', '-q', '--hard', root.commit)
  return [aJob(commit, tree, { kind: 'confirm', purpose: 'epoch', describes: true })]
}

describe('the learned space in the workflow template', () => {
  it("runs a program of the root's in propose", async () => {
    const { dispatch } = await startActionBox({ files: filesWith(COMMAND) })
    const finished = await dispatch()
    expect(finished.log).not.toContain('##[error]')
    const vector = proposedVector(finished)
    expect(vector).toHaveLength(13)
    expect(lengthOf(vector.slice(0, -1))).toBeCloseTo(1, 1)
  })

  it('the action runs a program of the root to embed an elite again', async () => {
    let base = ''
    const { dispatch } = await startActionBox({
      files: filesWith(COMMAND),
      kind: 'confirm',
      openJobs: async (clone) => {
        const jobs = await aRenewal(clone)
        base = jobs[0]?.parent.commit ?? ''
        return jobs
      },
    })
    const { result, log } = await dispatch({ base })
    expect(log).not.toContain('##[error]')
    expect(result?.outcome).toMatchObject({ status: 'measured', metrics: { score: 3 } })
    expect(result?.outcome).toHaveProperty('embedding.files', ['src/a.js'])
  })

  it('says how a program failed', async () => {
    const files = { ...filesWith(COMMAND), 'tools/digits.json': 'no JSON' }
    const { dispatch } = await startActionBox({ files })
    const { result } = await dispatch()
    expect(result?.outcome).toMatchObject({
      status: 'failed',
      reason: 'infrastructure',
      detail: expect.stringContaining('exit code 1: '),
    })
  })

  it.each([
    ['a program', `descriptor: repo_state, ${COMMAND}`, 12],
    ['hashing', 'descriptor: repo_state', 512],
  ])('describes the whole repository by %s, the root at its centre', async (_name, search, dimensions) => {
    const candidate = await startActionBox({ files: filesWith(search) })
    const vector = proposedVector(await candidate.dispatch())
    expect(vector).toHaveLength(dimensions + 1)
    // One file of several has changed: the mean has moved, and not far.
    expect(lengthOf(vector)).toBeGreaterThan(0)
    expect(lengthOf(vector)).toBeLessThan(1)
    const baseline = await startActionBox({ files: filesWith(search), kind: 'baseline' })
    const { result } = await baseline.dispatch()
    const { embedding } = result?.outcome.status === 'measured' ? result.outcome : {}
    expect(lengthOf([...(decodeVector(embedding?.vector ?? '') ?? [Number.NaN])])).toBe(0)
  })
})
