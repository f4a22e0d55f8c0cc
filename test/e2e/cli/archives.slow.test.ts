import { expect, it } from 'vitest'
import { aCli } from '../../support/cli.ts'
import { anExample, exampleConfig } from '../../support/example.ts'
import { git } from '../../support/repository.ts'

const CONFIG = exampleConfig()
  .replace(
    '[{ metric: score, direction: maximize }]',
    '[{ metric: score, direction: maximize }, { metric: count, direction: minimize }]',
  )
  .replace('search:\n', 'search:\n  archive: cvt\n  cells: 4\n  islands: 2\n  migrate_every: 2\n')

type Stored = { ordinal: number; commit: string; value: [score: number, count: number] }

function readArchive(folder: string) {
  const text = git(folder, 'show', 'loreley/state:campaigns/default/archive.json')
  const { islands, shape } = JSON.parse(text)
  const fronts = Object.entries<Record<string, Stored[]>>(islands).flatMap(([island, cells]) =>
    Object.entries(cells).map(([cell, front]) => ({ place: `${island}/${cell}`, front })),
  )
  return { text, shape, islands: Object.keys(islands), fronts }
}

it('runs two islands of tessellated Pareto archives, publishes them and rebuilds them byte for byte', async () => {
  const folder = await anExample({ '.loreley.yml': CONFIG })
  const cli = aCli()
  const run = await cli.run(folder, 'run', '--candidates', '40', '--json')
  expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode: 0, stderr: '' })

  const { shape, islands, fronts } = readArchive(folder)
  expect([shape.kind, shape.centroids.length, islands]).toEqual(['cvt', 4, ['island-1', 'island-2']])
  for (const { front } of fronts) {
    for (const [index, { value }] of front.entries()) {
      const next = front[index + 1]?.value
      // The best score first, and each further one pays for its lower score with a smaller count.
      if (next !== undefined) expect([value[0] > next[0], value[1] > next[1]]).toEqual([true, true])
    }
  }
  expect(Math.max(...fronts.map(({ front }) => front.length))).toBeGreaterThan(1)

  const refs = git(folder, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/loreley/elite')
  const expected = fronts.flatMap(({ place, front }) =>
    front.map(
      ({ commit }, index) =>
        `refs/heads/loreley/elite/default/${place}${index === 0 ? '' : `.${index + 1}`} ${commit}`,
    ),
  )
  expect(refs.split('\n')).toEqual(expected.sort())

  const rebuilt = await cli.run(folder, 'rebuild')
  expect(rebuilt.stdout).toContain('matches its ledger of 42 lines, byte for byte')
  const status = await cli.run(folder, 'status')
  expect(status.stdout).toContain('island-2')
  expect(status.stdout).toMatch(/of 8 niches filled with \d+ elites/)
  const svg = git(folder, 'show', 'loreley/state:campaigns/default/archive.svg')
  expect(svg.match(/<polygon/g)).toHaveLength(8)
}, 180_000)

it('ends in the same archive when it is broken off and carried on', async () => {
  const settled = CONFIG.replace('search:\n', 'search:\n  warm_up: 6\n  window: 1\n')
  const cli = aCli()
  const broken = await anExample({ '.loreley.yml': settled })
  for (const ordinal of [5, 12]) {
    const running = cli.start(broken, 'run', '--candidates', '20', '--json')
    await running.said(`"ordinal":${ordinal},`)
    process.kill(-running.pid, 'SIGKILL')
    await running.ended
  }
  await cli.run(broken, 'run', '--candidates', '20')
  const whole = await anExample({ '.loreley.yml': settled })
  await cli.run(whole, 'run', '--candidates', '20')
  expect(readArchive(broken).text).toBe(readArchive(whole).text)
}, 180_000)
