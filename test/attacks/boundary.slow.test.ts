import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LedgerEntry } from '../../src/core/campaign/ledger.ts'
import { type AttackedRun, cachesOf, edited, startAttackBox } from './attack-box.ts'
import { describeEnd } from './candidates/attacks.ts'
import { boundaryAttacks, boundarySettings, PROBE, UNHARMED } from './candidates/boundary.ts'
import { POISON } from './candidates/cache-attack.ts'

// Seconds that no other process sleeps.
const ISOLATED_DAEMON = 1_000_000 + process.pid
const FREE_DAEMON = 2_000_000 + process.pid

// Steps of the template: the first gets an id, the probe goes before the second.
const MEASURE = '      - name: Measure\n'
const HAND_ON = `      - name: Hand on the result\n        if: \${{ always() }}\n`

describe("the runner's boundary", () => {
  it('the boundary contains every attack by name', async () => {
    const attacks = boundaryAttacks(ISOLATED_DAEMON)
    const { runs, caches } = await attack(ISOLATED_DAEMON, 'namespace')
    expect(attacks.map(({ name }, index) => [name, describeEnd(runs[index]?.entry)])).toEqual(
      attacks.map(({ name, end }) => [name, end]),
    )
    expect(attacks.map(({ name }, index) => [name, ...afterwards(runs[index])])).toEqual(
      attacks.map(({ name }) => [name, ...UNHARMED]),
    )
    expect(caches).toEqual([])
    await expect.poll(() => findSleepers(ISOLATED_DAEMON), { timeout: 30_000 }).toEqual([])
    expect(runs[0]?.finished.result?.logs).toEqual([
      { name: 'gate starts', text: expect.stringContaining('\n: :add-mask::candidate-word\n') },
    ])
    expect(runs[0]?.finished.log).toContain('| ::add-mask::candidate-word')
    expect(runs[0]?.finished.log).not.toContain('##[error]hijacked')
  }, 300_000)

  it('the App detects what was not measured even without the boundary', async () => {
    onTestFinished(() => {
      for (const pid of findSleepers(FREE_DAEMON)) process.kill(pid, 'SIGKILL')
    })
    const attacks = boundaryAttacks(FREE_DAEMON)
    const { runs, caches } = await attack(FREE_DAEMON, 'none')
    expect(attacks.map(({ name }, index) => [name, tellEnd(runs[index]?.entry)])).toEqual(
      attacks.map(({ name, unisolated }) => [name, unisolated.end]),
    )
    const harms = attacks.map(({ name }, index) => [
      name,
      afterwards(runs[index])
        .filter((line) => !UNHARMED.includes(line))
        .join(', '),
    ])
    expect(harms).toEqual(attacks.map(({ name, unisolated }) => [name, unisolated.harms ?? '']))
    expect(caches).toMatchObject([{ key: POISON.key }])
    expect(findSleepers(FREE_DAEMON)).toHaveLength(1)
  }, 300_000)
})

async function attack(daemonSeconds: number, isolation: string) {
  const attacks = boundaryAttacks(daemonSeconds)
  const { action, run } = await startAttackBox(attacks, {
    settings: boundarySettings(isolation),
    editTemplate: (template) =>
      edited(edited(template, MEASURE, `${MEASURE}        id: measure\n`), HAND_ON, `${PROBE}${HAND_ON}`),
  })
  const runs = await Promise.all(attacks.map((_, index) => run(index + 1)))
  return { runs, caches: await cachesOf(action.box) }
}

/** What the step after the measurement found. */
function afterwards(run: AttackedRun | undefined): string[] {
  return [...(run?.finished.log ?? '').matchAll(/^afterwards: (.*)$/gm)].map(([, line = '']) => line)
}

function tellEnd(entry: LedgerEntry | undefined): string {
  const end = describeEnd(entry)
  if (typeof end === 'string') return end
  const { verdict } = entry ?? {}
  if (verdict?.status !== 'refused' || !('detail' in verdict)) return ''
  if (verdict.reason !== 'output-unreadable') return verdict.reason
  return `${verdict.reason}: ${verdict.detail.replaceAll(/\d+/g, 'N')}`
}

function findSleepers(seconds: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandOf(name) === `/bin/sleep\0${seconds}\0`)
    .map(Number)
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
