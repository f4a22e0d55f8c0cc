import { describe, expect, it } from 'vitest'
import { ask, createSearch, findBestId, listElites, resume, type Search, tell } from '../../src/core/index.ts'

const OPTIONS = {
  objectives: [{ metric: 'score', direction: 'maximize' as const }],
  axes: [{ metric: 'x', min: 0, max: 1 }],
  candidates: 30,
  cells: 5,
}

const measure = (id: number) => ({ x: (id * 0.37) % 1, score: (id * 7) % 11 })

/** Tells every suggestion until none is open, each time the one that is picked. */
function play(from: Search, pick = 0): Search {
  let search = from
  for (let open = ask(search); open.length > 0; open = ask(search)) {
    const next = open[Math.min(pick, open.length - 1)]
    if (next === undefined) break
    search = tell(search, next.id, measure(next.kind === 'confirm' ? next.parent : next.id))
  }
  return search
}

describe('the engine as a library', () => {
  it('the first suggestion is to measure the root', () => {
    const [first, ...more] = ask(createSearch(OPTIONS))
    expect(first).toMatchObject({ id: 0, kind: 'baseline', parent: 0 })
    expect(more).toEqual([])
  })

  it('a search ends after its candidates and keeps the best of each cell', () => {
    const search = play(createSearch(OPTIONS))
    expect(new Set(search.record.told.map(({ id }) => id)).size).toBeGreaterThanOrEqual(31)
    const elites = listElites(search)
    expect(elites.map(({ cell }) => cell)).toEqual(['0', '1', '2', '3', '4'])
    expect(Math.max(...elites.map(({ value: [score = 0] }) => score))).toBe(10)
    expect(measure(findBestId(search) ?? 0).score).toBe(10)
  })

  it('a search that resumes from JSON ends like one that never stopped', () => {
    const whole = play(createSearch(OPTIONS))
    const told = whole.record.told.slice(0, 12)
    const half = resume(JSON.parse(JSON.stringify({ ...whole.record, told })))
    expect(half.record.told).toEqual(told)
    expect(listElites(play(half))).toEqual(listElites(whole))
  })

  it('the order of figures within the open suggestions changes nothing', () => {
    const options = { ...OPTIONS, parallel: 4 }
    const [first, last] = [play(createSearch(options)), play(createSearch(options), 3)]
    expect(listElites(last)).toEqual(listElites(first))
    expect(ask(first)).toEqual([])
  })

  it('another seed gives other parents', () => {
    const parents = (seed: number) => {
      let search = createSearch({ ...OPTIONS, seed })
      const seen: number[] = []
      for (let [next] = ask(search); next !== undefined; [next] = ask(search)) {
        seen.push(next.parent)
        search = tell(search, next.id, measure(next.kind === 'confirm' ? next.parent : next.id))
      }
      return seen
    }
    expect(parents(1)).toEqual(parents(1))
    expect(parents(2)).not.toEqual(parents(1))
  })

  it('a failed candidate counts and enters no cell', () => {
    let search = tell(createSearch(OPTIONS), 0, measure(0))
    const before = listElites(search)
    const [next] = ask(search)
    search = tell(search, next?.id ?? -1, null)
    expect(listElites(search)).toEqual(before)
    expect(ask(search)[0]?.id).toBe((next?.id ?? 0) + 1)
  })

  it('figures of work that is not open change nothing', () => {
    const search = tell(createSearch(OPTIONS), 0, measure(0))
    expect(tell(search, 0, measure(5))).toBe(search)
    expect(tell(search, 999, measure(5))).toBe(search)
  })
})
