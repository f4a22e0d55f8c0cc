import { chmodSync, chownSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleProgram, runProgram } from '../process/bundled-program.ts'
import { hasNamespaces, hasUserNamespaces, isRoot } from '../process/enclosed-run.ts'
import { aFolder } from '../support/repository.ts'
import { BESIDE_THE_JUDGE, JUDGE, type runBesideJudge } from './candidates/beside-the-judge.ts'

// Somebody without any rights: nobody's neighbour when we are root, else who we are.
const USER = isRoot ? 65_533 : (process.getuid?.() ?? 0)
let program = ''

beforeAll(async () => {
  program = await bundleProgram(
    "import { runBesideJudge } from '../attacks/candidates/beside-the-judge.ts'",
    'async (trial) => await runBesideJudge(trial)',
  )
})

async function run(candidate: string, start: readonly string[], uid: number | undefined) {
  const place = aFolder()
  chmodSync(place, 0o755)
  if (uid !== undefined && isRoot) chownSync(place, uid, uid)
  const who = uid === undefined || !isRoot ? {} : { uid }
  const ran: Awaited<ReturnType<typeof runBesideJudge>> = await runProgram(
    program,
    { place, candidate, judge: JUDGE, start },
    who,
  )
  return `${ran.status}\n${ran.stdout}\n${ran.stderr}`
}

it('CI has the namespaces that these attacks are about', () => {
  expect(process.env.CI === undefined || (hasUserNamespaces && (!isRoot || hasNamespaces))).toBe(true)
})

describe
  .runIf(hasUserNamespaces)
  .each([
    ...(hasNamespaces ? [{ as: 'as another user', uid: undefined }] : []),
    { as: 'as our own user', uid: USER },
  ])('a candidate beside its judge, enclosed $as', ({ uid }) => {
  it.each(BESIDE_THE_JUDGE)('$name: wins as a plain child', async ({ candidate, wins }) => {
    expect(await run(candidate, [], uid)).toMatch(wins)
  })

  it.each(BESIDE_THE_JUDGE)('$name: gains nothing behind loreley-candidate', async ({ candidate, wins }) => {
    const shown = await run(candidate, ['loreley-candidate'], uid)
    expect(shown).not.toMatch(wins)
    expect(shown, 'the judge was left alone').toContain('METRIC score=0')
  })
})
