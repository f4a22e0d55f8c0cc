import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../process/a-command.ts'
import { aFolder, aRepository } from '../../support/repository.ts'
import { anEvaluation, aWorkbench } from '../../support/workbench.ts'

const FILES = { 'src/a.js': '1\n', 'metrics.json': '{"score": 99}\n', 'evaluate.sh': 'echo 5\n' }

const bench = () => aWorkbench(aRepository(FILES))

async function measure(changes: Parameters<typeof anEvaluation>[0], options = {}) {
  const { evaluate } = await bench()
  return await evaluate(anEvaluation(changes), options)
}

describe('what a command measured', () => {
  const benchmark = '[{"name":"score","value":3,"unit":"ms"}]'
  it.each<[form: string, changes: Parameters<typeof anEvaluation>[0], metrics: Record<string, number>]>([
    ['a number on the last line', { command: 'echo warm-up; echo 2.5' }, { score: 2.5 }],
    ['a JSON object on the last line', { command: `echo '{"score": 1, "size": 7}'` }, { score: 1, size: 7 }],
    ['METRIC lines', { command: 'echo METRIC score=4; echo METRIC x=5; echo done' }, { score: 4, x: 5 }],
    [
      'a JSON file',
      {
        command: `mkdir out && echo '{"score":6}' > out/m.json`,
        output: { form: 'json-file', file: 'out/m.json' },
      },
      { score: 6 },
    ],
    ['benchmarks on stdout', { command: `echo '${benchmark}'`, output: { form: 'benchmark' } }, { score: 3 }],
    [
      'benchmarks in a file',
      { command: `echo '${benchmark}' > b.json`, output: { form: 'benchmark', file: 'b.json' } },
      { score: 3 },
    ],
    [
      'the trusted evaluator',
      { command: 'echo 1 > evaluate.sh; sh "$LORELEY_TRUSTED/evaluate.sh"' },
      { score: 5 },
    ],
    [
      'what can be read, without what is not finite',
      { command: `echo METRIC score=1; echo METRIC x=nan` },
      { score: 1 },
    ],
    [
      'what a campaign can calculate with, without tiny and huge numbers that it does not use',
      { command: `echo '{"score": 1, "p": 3e-214, "big": 1e200}'` },
      { score: 1 },
    ],
  ])('metrics are read from %s', async (_, changes, metrics) => {
    expect(await measure(changes)).toMatchObject({ status: 'measured', metrics })
  })

  it.each<[what: string, command: string, reason: string, detail: RegExp]>([
    [
      'exits with another code',
      'echo oops; echo why >&2; exit 3',
      'evaluation-failed',
      /^exit code 3\noops\n+why$/,
    ],
    ['is killed', 'kill -9 $$', 'evaluation-failed', /SIGKILL/],
    ['prints nothing', 'true', 'output-unreadable', /empty/],
    ['prints words', 'echo fast', 'output-unreadable', /fast/],
    ['lacks a metric', `echo '{"other": 1}'`, 'metric-missing', /^score$/],
    ['measures NaN', 'echo nan', 'metric-not-finite', /^score$/],
    ['measures infinity', 'echo METRIC score=-inf', 'metric-not-finite', /^score$/],
    ['measures what is too small', 'echo METRIC score=3e-214', 'output-unreadable', /too small/],
    ['contradicts itself', 'echo METRIC score=1; echo METRIC score=2', 'output-unreadable', /given twice/],
  ])('a candidate is refused when the command %s', async (_, command, reason, detail) => {
    const outcome = await measure({ command })
    expect(outcome).toMatchObject({ status: 'failed', reason })
    expect(outcome.status === 'failed' && outcome.detail).toMatch(detail)
  })

  it('a candidate is refused when a metric of an axis is missing', async () => {
    const outcome = await measure({ command: `echo '{"score": 1}'` }, { neededMetrics: ['score', 'size'] })
    expect(outcome).toMatchObject({ status: 'failed', reason: 'metric-missing', detail: 'size' })
  })
})

describe('a metrics file', () => {
  const output = { form: 'json-file', file: 'metrics.json' } as const
  it('a metrics file that the candidate brought along, or that a gate wrote, is not taken', async () => {
    const gates = [{ name: 'g', command: `echo '{"score": 98}' > metrics.json`, timeoutSeconds: 20 }]
    expect(await measure({ command: 'true', gates, output })).toMatchObject({
      status: 'failed',
      reason: 'output-unreadable',
    })
  })

  it.each([
    ['a pipe', 'mkfifo metrics.json'],
    ['a folder', 'mkdir metrics.json'],
    ['a link to an endless device', 'ln -s /dev/zero metrics.json'],
    ['a link to a file that we can read', `echo '{"score":1}' > x.json; ln -s x.json metrics.json`],
    ['larger than the limit', 'head -c 5000 /dev/zero | tr "\\0" 1 > metrics.json'],
  ])('a metrics file is refused when it is %s', async (_, command) => {
    expect(await measure({ command, output, maxOutputBytes: 2000 })).toMatchObject({
      status: 'failed',
      reason: 'output-unreadable',
    })
  })
})

describe('a metrics file in a folder that is a link', () => {
  it('a metrics file behind a link out of the folder is neither removed nor read', async () => {
    const outside = aFolder()
    writeFileSync(join(outside, 'm.json'), '{"score": 1}')
    const gates = [{ name: 'g', command: `ln -s ${outside} out`, timeoutSeconds: 20 }]
    const output = { form: 'json-file', file: 'out/m.json' } as const
    expect(await measure({ command: 'true', gates, output })).toMatchObject({ reason: 'output-unreadable' })
    expect(existsSync(join(outside, 'm.json'))).toBe(true)
  })
})

describe('gates', () => {
  const gate = (name: string, command: string, timeoutSeconds = 20) => ({ name, command, timeoutSeconds })

  it('gates run in order before the command, in the same folder', async () => {
    const gates = [gate('one', 'echo 1 > order'), gate('two', 'cat order && echo 2 >> order')]
    expect(await measure({ gates, command: 'grep -c . order' })).toMatchObject({ metrics: { score: 2 } })
  })

  it('gates stop at the first that fails, and nothing is measured', async () => {
    const { evaluate, place } = await bench()
    const ran = join(place, 'ran')
    const gates = [gate('lint', 'echo bad style; exit 1'), gate('later', `touch ${ran}`)]
    const outcome = await evaluate(anEvaluation({ gates, command: `touch ${ran}; echo 1` }))
    expect(outcome).toMatchObject({ reason: 'gate-failed', detail: 'lint: exit code 1\nbad style' })
    expect(existsSync(ran)).toBe(false)
  })

  it('a gate fails when it runs into its own time limit', async () => {
    const outcome = await measure({ gates: [gate('slow', 'sleep 60', 1)], command: 'echo 1' })
    expect(outcome).toMatchObject({ reason: 'gate-failed', detail: 'slow: ran into its time limit' })
  })
})

describe('limits', () => {
  it('the time limit kills a command that ignores SIGTERM, its children, and theirs in sessions of their own', async () => {
    const { evaluate, place } = await bench()
    const deaf = `trap "" TERM; echo $$ >> ${place}/pids; while :; do sleep 1; done`
    const command = `setsid sh -c '${deaf}' & sh -c '${deaf}' & ${deaf}`
    const outcome = await evaluate(anEvaluation({ command, timeoutSeconds: 1 }))
    expect(outcome).toMatchObject({ status: 'failed', reason: 'evaluation-timed-out' })
    const pids = readFileSync(join(place, 'pids'), 'utf8').trim().split('\n').map(Number)
    expect(pids).toHaveLength(3)
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('the output limit bounds what is kept, and its last line is still read', async () => {
    const command = 'yes noise | head -c 3000000; echo; echo 7'
    expect(await measure({ command, maxOutputBytes: 4096 })).toMatchObject({ metrics: { score: 7 } })
    const failed = await measure({ command: 'yes noise | head -c 3000000; exit 1', maxOutputBytes: 4096 })
    expect(failed.status === 'failed' && failed.detail.length).toBeLessThan(2100)
  })

  it('a command ends when the run is aborted', async () => {
    const { evaluate, place } = await bench()
    const abort = new AbortController()
    const pidFile = join(place, 'pid')
    const evaluating = evaluate(anEvaluation({ command: `echo $$ > ${pidFile}; sleep 60` }), {
      signal: abort.signal,
    })
    while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8') === '') await delay(5)
    abort.abort()
    expect(await evaluating).toEqual({ status: 'aborted' })
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
  })
})

describe('the environment of a command', () => {
  it('the environment of a command holds nothing of ours but what the config passes on', async () => {
    const { evaluate, place } = await bench()
    const dump = join(place, 'env')
    const command = `env > ${dump}; pwd > ${dump}.pwd; echo 1`
    await evaluate(anEvaluation({ command }), { environment: { TOKEN: 'passed on' } })
    const text = readFileSync(dump, 'utf8')
    const variables = new Map(
      text
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    const shellOwn = ['_', 'OLDPWD', 'SHLVL', 'PWD', 'LORELEY_GROUP', 'LORELEY_OWNER']
    expect([...variables.keys()].filter((name) => !shellOwn.includes(name)).sort()).toEqual([
      'CI',
      'HOME',
      'LANG',
      'LORELEY_ISOLATION',
      'LORELEY_TRUSTED',
      'LORELEY_WORKSPACE',
      'NO_COLOR',
      'PATH',
      'TMPDIR',
      'TOKEN',
      'TZ',
    ])
    const folder = join(place, 'work/1-1/evaluation')
    expect(readFileSync(`${dump}.pwd`, 'utf8').trim()).toBe(join(folder, 'files'))
    expect(variables.get('HOME')).toBe(join(folder, 'home'))
    expect(variables.get('TMPDIR')).toBe(join(folder, 'temp'))
    expect(existsSync(join(variables.get('LORELEY_TRUSTED') ?? '', 'evaluate.sh'))).toBe(true)
  })
})
