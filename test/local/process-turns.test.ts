import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ProcessTurns } from '../../src/local/process-turns.ts'
import { Patience } from '../../src/pipeline/proposing/patience.ts'

function aPromise() {
  let resolve: () => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}

/** Work that ends when it is told to, and what began so far. */
function aStage() {
  const turns = new ProcessTurns()
  const began: string[] = []
  const hold = (name: string, kind: 'run' | 'measure') => {
    const { promise, resolve, reject } = aPromise()
    const ended = turns[kind](async () => {
      began.push(name)
      await promise
    })
    return { ended, end: resolve, fail: reject }
  }
  return { began, hold }
}

const settle = () => delay(0)

describe('turns of programs and measurements', () => {
  it('programs run together, a measurement waits for all of them', async () => {
    const { began, hold } = aStage()
    const [one, two] = [hold('one', 'run'), hold('two', 'run')]
    const measured = hold('measured', 'measure')
    one.end()
    await one.ended
    await settle()
    expect(began).toEqual(['one', 'two'])
    two.end()
    await two.ended
    await settle()
    expect(began).toEqual(['one', 'two', 'measured'])
    measured.end()
    await measured.ended
  })

  it('a measurement does not wait for programs that came later', async () => {
    const { began, hold } = aStage()
    const first = hold('first', 'run')
    const measured = hold('measured', 'measure')
    const late = hold('late', 'run')
    first.end()
    await first.ended
    await settle()
    expect(began).toEqual(['first', 'measured'])
    measured.end()
    await measured.ended
    await settle()
    expect(began).toEqual(['first', 'measured', 'late'])
    late.end()
    await late.ended
  })

  it('one measurement runs at a time, and a failed one makes room', async () => {
    const { began, hold } = aStage()
    const [one, two] = [hold('one', 'measure'), hold('two', 'measure')]
    await settle()
    expect(began).toEqual(['one'])
    one.fail(new Error('no disk'))
    await expect(one.ended).rejects.toThrow('no disk')
    await settle()
    expect(began).toEqual(['one', 'two'])
    two.end()
    await two.ended
  })
})

describe('the time limit of an agent', () => {
  it('the time limit does not run while a program waits for its turn', async () => {
    const turns = new ProcessTurns()
    const patience = new Patience(20)
    const { promise, resolve } = aPromise()
    const measured = turns.measure(() => promise)
    const program = patience.during((work) => turns.run(work))(() => once(patience.signal, 'abort'))
    await delay(60)
    expect(patience.signal.aborted).toBe(false)
    resolve()
    await measured
    await program
    expect(patience.signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(patience.waitedMs).toBeGreaterThan(0)
  })
})
