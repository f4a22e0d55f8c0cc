import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aCli } from '../support/cli.ts'
import { anExample, EXAMPLE_FILES } from '../support/example.ts'
import { aFolder, git, writeFiles } from '../support/repository.ts'

const TIMEOUT_MS = 180_000

function configWith(search: string, candidates = 16): string {
  return `goal: Numbers near seven.
scope: { editable: ["src/**"] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: sh evaluate.sh, timeout_seconds: 20, baseline_runs: 2 }
search: ${search}
limits: { candidates: ${candidates} }
`
}

/** The number of letters, digits and lines of each text. */
const COUNTER = `const texts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const count = (text, of) => (text.match(of) ?? []).length
console.log(JSON.stringify(texts.map((text) => [
  ...[/[a-z]/g, /[0-9]/g, /\\n/g, /7/g, /[+*-]/g, /[1-3]/g, /[4-6]/g, /[89]/g].map((of) => count(text, of)),
])))
`

async function runCampaign(search: string, env: Readonly<Record<string, string>> = {}) {
  const folder = await anExample({ '.loreley.yml': configWith(search) })
  const cli = aCli(env)
  const { exitCode, stdout, stderr } = await cli.run(folder, 'run')
  const read = (path: string): unknown =>
    JSON.parse(git(folder, 'show', `loreley/state:campaigns/default/${path}`))
  return { folder, cli, exitCode, stdout, stderr, read }
}

/** Coordinates of a campaign's elites. */
function descriptorsOf(archive: unknown): number[][] {
  const texts = JSON.stringify(archive).matchAll(/"descriptor":\[([^\]]*)\]/g)
  return [...texts].map(([, list = '']) => list.split(',').map(Number))
}

describe('niches of a campaign', () => {
  it(
    "learns niches with the maintainer's own command",
    async () => {
      const program = join(aFolder(), 'embed.cjs')
      writeFileSync(program, COUNTER)
      const search = `{ embedder: { use: command, command: "node ${program}", dimensions: 8 } }`
      const { exitCode, stderr, read } = await runCampaign(search)
      expect(stderr).toBe('')
      expect(exitCode).toBe(0)
      expect(read('projection.json')).toMatchObject({
        version: expect.any(Number),
        axes: [expect.any(Array), expect.any(Array)],
      })
    },
    TIMEOUT_MS,
  )

  it(
    'pauses after a failing embedder command with its output and cost, and resumes once it works',
    async () => {
      const place = aFolder()
      const [program, broken] = [join(place, 'embed.cjs'), join(place, 'broken')]
      writeFileSync(program, COUNTER)
      writeFileSync(broken, '')
      const command = `test ! -e ${broken} || { echo no model here >&2; exit 3; }; node ${program}`
      const search = `{ window: 2, embedder: { use: command, command: "${command}", dimensions: 8 } }`
      const { exitCode, stdout, folder, cli, read } = await runCampaign(search)
      expect(exitCode).toBe(1)
      expect(stdout).toContain('search.embedder')
      expect(stdout).toContain('exit code 3: no model here')
      expect(read('campaign.json')).toMatchObject({
        status: { phase: 'paused', reason: 'same-failure' },
        used: { runnerMs: expect.toSatisfy((ms) => ms > 0) },
      })
      rmSync(broken)
      expect((await cli.run(folder, 'run')).exitCode).toBe(0)
      expect(read('campaign.json')).toMatchObject({ status: { phase: 'finished' } })
    },
    TIMEOUT_MS,
  )

  it(
    'learns niches with an endpoint and counts its cost',
    async () => {
      const server = createServer((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const { input }: { input: string[] } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
          const data = input.map((text, index) => ({
            index,
            embedding: Array.from({ length: 8 }, (_, slot) => text.charCodeAt(slot * 7) || slot),
          }))
          response.end(JSON.stringify({ data, usage: { total_tokens: 1000 } }))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : undefined
      const search = `{ embedder: { use: openai, base_url: "http://127.0.0.1:${port}/v1", dimensions: 8, dollars_per_million_tokens: 10 } }`
      const { exitCode, read } = await runCampaign(search, { OPENAI_API_KEY: 'some-test-key' })
      expect(exitCode).toBe(0)
      expect(read('campaign.json')).toMatchObject({ used: { tokens: expect.any(Number) } })
      const { used } = Object(read('campaign.json'))
      expect(used.tokens).toBeGreaterThan(0)
      expect(used.dollars).toBeCloseTo(used.tokens / 100_000, 6)
    },
    TIMEOUT_MS,
  )

  it(
    'asks for the key of an endpoint before anything is done',
    async () => {
      const { exitCode, stderr, folder } = await runCampaign(
        '{ embedder: { use: openai, base_url: "http://127.0.0.1:9/v1" } }',
      )
      expect(exitCode).toBe(1)
      expect(stderr).toContain('the environment variable OPENAI_API_KEY is not set')
      expect(stderr).toContain('[embedder-failed]')
      expect(git(folder, 'branch', '--list', 'loreley/*')).toBe('')
    },
    TIMEOUT_MS,
  )

  it(
    'learns niches from the whole repository and rebuilds them from the ledger byte for byte',
    async () => {
      const { exitCode, folder, cli, read } = await runCampaign('{ descriptor: repo_state }')
      expect(exitCode).toBe(0)
      expect(read('projection.json')).toMatchObject({ axes: [expect.any(Array), expect.any(Array)] })
      expect(descriptorsOf(read('archive.json')).length).toBeGreaterThan(2)
      expect((await cli.run(folder, 'rebuild')).stdout).toContain('byte for byte')
      // Every file of the root was read: the notes are no source, the rest takes part.
      expect((await cli.run(folder, 'status')).stdout).toContain(
        'left out  1 file in the root (not-source 1)',
      )
    },
    TIMEOUT_MS,
  )

  it(
    'uses declared axes alone or beside learned ones',
    async () => {
      const declared = await runCampaign(
        '{ descriptor: metrics, axes: [{ metric: count, min: 0, max: 12 }, { change: churn }, { change: spread }] }',
      )
      expect(declared.exitCode).toBe(0)
      expect(descriptorsOf(declared.read('archive.json')).every((place) => place.length === 3)).toBe(true)
      const mixed = await runCampaign('{ descriptor: delta, axes: [{ metric: count, min: 0, max: 12 }] }')
      expect(mixed.exitCode).toBe(0)
      const places = descriptorsOf(mixed.read('archive.json'))
      expect(places.length).toBeGreaterThan(1)
      // The learned axes come first; the last one is the metric, which is at most six.
      for (const place of places) expect(place.length === 3 && (place[2] ?? 1) <= 1).toBe(true)
      expect((await mixed.cli.run(mixed.folder, 'rebuild')).exitCode).toBe(0)
    },
    TIMEOUT_MS,
  )

  it(
    'learns niches again with another embedder, on two tessellated islands, interrupted or not',
    async () => {
      const config = (dimensions: number, candidates: number) =>
        configWith(
          `{ archive: cvt, cells: 5, islands: 2, window: 2, warm_up: 6, embedder: { dimensions: ${dimensions} } }`,
          candidates,
        ).replace('maximize }]', 'maximize }, { metric: count, direction: minimize }]')
      const cli = aCli()
      // While elites are described again, and while candidates are repeated.
      const kills = [[], [20, 30]]
      const ends = kills.map(async (ordinals) => {
        const folder = await anExample({ '.loreley.yml': config(32, 16) })
        expect(await cli.run(folder, 'run')).toMatchObject({ exitCode: 0, stderr: '' })
        writeFiles(folder, { '.loreley.yml': config(64, 24) })
        const said: string[] = []
        for (const ordinal of ordinals) {
          const running = cli.start(folder, 'run', '--json')
          await running.said(`"ordinal":${ordinal},`)
          process.kill(-running.pid, 'SIGKILL')
          said.push((await running.ended).stderr)
        }
        const { exitCode, stderr } = await cli.run(folder, 'run')
        expect(exitCode).toBe(0)
        expect([...said, stderr].map((text) => text.includes('epoch 2 starts'))).toEqual([
          true,
          ...ordinals.map(() => false),
        ])
        const rebuilt = await cli.run(folder, 'rebuild')
        expect(rebuilt.stdout).toContain('byte for byte')
        const read = (name: string): string => git(folder, 'show', `loreley/state:campaigns/default/${name}`)
        return {
          archive: read('archive.json'),
          projection: read('projection.json'),
          svg: read('archive.svg'),
        }
      })
      const [whole, broken] = await Promise.all(ends)
      expect(broken).toEqual(whole)
      const { mean, names, version } = JSON.parse(whole?.projection ?? '')
      expect([mean.length, version > 0]).toEqual([65, true])
      const { shape, islands } = JSON.parse(whole?.archive ?? '')
      expect([shape.kind, Object.keys(islands)]).toEqual(['cvt', ['island-1', 'island-2']])
      const held = Object.values(islands).flatMap((cells) => Object.keys(Object(cells)))
      expect(held.length).toBeGreaterThan(2)
      expect(whole?.svg).toContain(names[0].high.slice(0, 10))
    },
    TIMEOUT_MS,
  )

  it(
    'shows in the status which files the niches ignore',
    async () => {
      expect(EXAMPLE_FILES).toHaveProperty('docs/notes.md')
      const { folder, cli } = await runCampaign('{}')
      const { stdout } = await cli.run(folder, 'status')
      expect(stdout).toContain('left out  1 file in the root, by name (not-source 1)')
    },
    TIMEOUT_MS,
  )
})
