import { expect, it } from 'vitest'
import { OwnCoordination } from '../../../src/app/coordination/coordination.ts'
import { RepositoryQueue } from '../../../src/app/server/repository-queue.ts'

it('does one thing at a time for a repository, in order, and takes turns between them', async () => {
  const queue = new RepositoryQueue(1)
  const done: string[] = []
  const add = (repository: number, name: string): void =>
    queue.add(repository, async () => {
      await Promise.resolve()
      done.push(name)
    })
  for (const name of ['a1', 'a2', 'a3']) add(1, name)
  for (const name of ['b1', 'b2']) add(2, name)
  await queue.settled()
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

it('lets what people ask for go before all that waits, in its own order', async () => {
  const queue = new RepositoryQueue(1)
  const done: string[] = []
  const add = (name: string, isUrgent: boolean): void =>
    queue.add(1, async () => void done.push(name), isUrgent)
  for (const name of ['a', 'b', 'c']) add(name, false)
  for (const name of ['label', 'command']) add(name, true)
  add('d', false)
  await queue.settled()
  expect(done).toEqual(['a', 'label', 'command', 'b', 'c', 'd'])
})

it('works on several repositories side by side, never twice on one', async () => {
  const queue = new RepositoryQueue(2)
  let together = 0
  let most = 0
  const busy = new Set<number>()
  for (let index = 0; index < 30; index++) {
    queue.add(index % 3, async () => {
      expect(busy.has(index % 3)).toBe(false)
      busy.add(index % 3)
      together += 1
      most = Math.max(most, together)
      await new Promise((resolve) => setImmediate(resolve))
      together -= 1
      busy.delete(index % 3)
    })
  }
  await queue.settled()
  expect([most, queue.size]).toEqual([2, 0])
})

it('lets the first one that asks have a key, and nobody after until it is given back', async () => {
  const own = new OwnCoordination()
  expect([await own.claim('a'), await own.claim('a'), await own.claim('b')]).toEqual([true, false, true])
  await own.release('a')
  expect([await own.claim('a'), await own.claim('b')]).toEqual([true, false])
})
