import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFiles } from '../../support/repository.ts'
import type { Attack } from './attacks.ts'
import { leavePoison } from './cache-attack.ts'
import { aSolver, victimSettings } from './victim.ts'

/** An attack on the runner around the candidate, and what it does where nothing keeps it in. */
export interface BoundaryAttack extends Attack {
  readonly unisolated: {
    /** The verdict's words. */
    readonly end: string
    /** The first word of a line that the step after the measurement says otherwise. */
    readonly harms?: string
  }
}

const THIEF = readFileSync(join(import.meta.dirname, '../../fixtures/thief.mjs'), 'utf8')

/** Variables that a careless maintainer hands to the evaluator: the attacks know where to strike. */
const TOLD = [
  ...['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'],
  ...['GITHUB_WORKSPACE', 'RUNNER_TEMP', 'RUNNER_TOOL_CACHE'],
]

/** Runs the candidate before it is measured, on an input of its own. */
const GATE = { name: 'starts', command: "echo '[]' | node src/solve.mjs" }

/** The victim's settings at this level of isolation. */
export function boundarySettings(isolation: string) {
  // The gate names the candidate's own file, which would make it one of the evaluator's.
  const files = ['evaluate.mjs', 'inputs']
  const more = { isolation, timeout_seconds: 60, environment: TOLD, gates: [GATE], files }
  return { evaluation: { ...victimSettings().evaluation, ...more } }
}

/** A step that a maintainer could have after the measurement: it tells what it finds changed. */
export const PROBE = `      - name: Probe the machine
        if: \${{ always() }}
        env: { OUT: '\${{ steps.measure.outputs.evil }}' }
        run: |
          say() { echo "afterwards: $1 $2"; }
          say environment "\${EVIL:-clean}"
          say output "\${OUT:-clean}"
          case "$PATH" in /evil:*) say path evil ;; *) say path clean ;; esac
          found=$(find "$RUNNER_TEMP" "$RUNNER_TOOL_CACHE" "$GITHUB_WORKSPACE" -name poison)
          say caches "\${found:+poisoned}"
          git -C "$GITHUB_WORKSPACE" checkout -q --detach
          [ -e "$RUNNER_TEMP/hooked" ] && say hooks ran || say hooks none
          echo "::add-mask::control-word"
          say words "control-word candidate-word"

`

/** What it says where nothing was harmed. The mask that a step asks for is the control: commands do work. */
export const UNHARMED = [
  'environment clean',
  'output clean',
  'path clean',
  'caches ',
  'hooks none',
  'words *** candidate-word',
]

/** A candidate that acts where it is measured, or at the gate, and then claims a bonus of what it achieved. */
function acts(lines: string, at: 'gate' | 'measurement' = 'measurement') {
  const test = at === 'gate' ? 'numbers.length === 0' : 'numbers.length > 0'
  const solver = aSolver(`import { findService, forgeResult, replaceArtifact, zipOf } from './thief.mjs'
import * as fs from 'node:fs'
import { spawn } from 'node:child_process'
const tryTo = (work) => { try { work(); return 0.1 } catch { return 0 } }
let bonus = 0
if (${test}) {
${lines}
}
console.log(JSON.stringify({ answer: numbers, bonus }))`)
  return (folder: string): void => writeFiles(folder, { 'src/solve.mjs': solver, 'src/thief.mjs': THIEF })
}

const leaves = (name: string, zip: string) =>
  acts(`bonus = (await replaceArtifact('${name}', () => ${zip}).catch(() => false)) ? 0.1 : 0`)

const unreadable = (why: string) => `output-unreadable: artifact-unreadable: result: ${why}`

/** The attacks; `daemonSeconds` tells this test's daemon from all others. */
export function boundaryAttacks(daemonSeconds: number): readonly BoundaryAttack[] {
  return [
    {
      name: 'speaks workflow commands',
      work: acts(
        `console.error('::error::hijacked\\n::add-mask::candidate-word\\n##[error]hijacked')
console.error('::set-output name=evil::1\\n::stop-commands::x\\n::add-path::/evil')
process.exitCode = 1`,
        'gate',
      ),
      end: { refused: 'gate-failed' },
      unisolated: { end: 'gate-failed' },
    },
    {
      name: "writes the runner's files",
      work: acts(`const files = { ENV: 'EVIL=1', OUTPUT: 'evil=1', PATH: '/evil', STEP_SUMMARY: 'evil' }
for (const [name, line] of Object.entries(files))
  bonus += tryTo(() => fs.appendFileSync(process.env['GITHUB_' + name], line + '\\n', { flag: fs.constants.O_APPEND | fs.constants.O_WRONLY }))`),
      end: 'harmless',
      unisolated: { end: 'scored 0.9', harms: 'environment 1, output 1, path evil' },
    },
    {
      name: 'finds the token of the artifacts',
      work: acts('bonus = findService() ? 0.1 : 0'),
      end: 'harmless',
      unisolated: { end: 'scored 0.6' },
    },
    {
      name: 'replaces the proposal',
      work: leaves('proposal', "zipOf([['proposal.json', Buffer.from('{}')]])"),
      end: 'harmless',
      unisolated: {
        end: 'output-unreadable: artifact-swapped: the proposal is not the one that was evaluated',
      },
    },
    {
      // Found out by how the run ends: the job cannot hand on its own result any more.
      name: 'leaves a result in the right form',
      work: leaves('result', "zipOf([['result.json', forgeResult({ score: 1 })]])"),
      end: 'harmless',
      unisolated: {
        end: 'output-unreadable: artifact-swapped: it was measured, but the run ended with failure',
      },
    },
    {
      name: 'leaves a zip bomb',
      work: leaves('result', "zipOf([['result.json', Buffer.alloc(64 * 1024 * 1024)]])"),
      end: 'harmless',
      unisolated: { end: unreadable('it unpacks to more than N bytes') },
    },
    {
      name: 'leaves a path out of the folder',
      work: leaves('result', "zipOf([['../../result.json', Buffer.from('{}')]])"),
      end: 'harmless',
      unisolated: { end: unreadable('its entry is not result.json') },
    },
    {
      name: 'leaves 100,000 entries',
      work: leaves('result', 'zipOf(Array.from({ length: 1e5 }, (_, n) => [String(n), Buffer.alloc(0)]))'),
      end: 'harmless',
      unisolated: { end: unreadable('its zip has N bytes, more than N') },
    },
    {
      name: 'leaves a second entry',
      work: leaves('result', "zipOf([['result.json', Buffer.from('{}')], ['more.json', Buffer.from('{}')]])"),
      end: 'harmless',
      unisolated: { end: unreadable('it has more than one entry') },
    },
    {
      name: 'poisons caches',
      work: acts(`for (const name of ['RUNNER_TEMP', 'RUNNER_TOOL_CACHE', 'GITHUB_WORKSPACE'])
  bonus += tryTo(() => fs.writeFileSync(process.env[name] + '/poison', 'evil'))`),
      end: 'harmless',
      unisolated: { end: 'scored 0.8', harms: 'caches poisoned' },
    },
    {
      name: 'leaves a poisoned entry in the Actions cache',
      work: leavePoison,
      end: 'harmless',
      unisolated: { end: 'scored 0.8' },
    },
    {
      name: 'climbs out of its folder by way of ..',
      work: acts(
        `for (const up of ['../../..', '../../../..', '../../../../..']) tryTo(() => fs.writeFileSync(up + '/poison', 'evil'))`,
      ),
      end: 'harmless',
      unisolated: { end: 'harmless', harms: 'caches poisoned' },
    },
    {
      name: 'plants a hook for the next step',
      work: acts(`const hooks = process.env.GITHUB_WORKSPACE + '/.git/hooks'
bonus = tryTo(() => {
  fs.mkdirSync(hooks, { recursive: true })
  fs.writeFileSync(hooks + '/post-checkout', '#!/bin/sh\\n: > "$RUNNER_TEMP/hooked"\\n', { mode: 0o755 })
})`),
      end: 'harmless',
      unisolated: { end: 'scored 0.6', harms: 'hooks ran' },
    },
    {
      name: 'rewrites the trusted evaluator',
      work: acts(
        `tryTo(() => fs.writeFileSync(process.env.LORELEY_TRUSTED + '/evaluate.mjs', 'console.log(1)'))`,
        'gate',
      ),
      end: 'harmless',
      unisolated: { end: 'scored 1' },
    },
    {
      name: 'leaves a daemon that forgot where it comes from',
      // It stays until the daemon has cleared its environment: before that it would be found by it.
      work: acts(
        `spawn('setsid', ['env', '-i', '/bin/sleep', '${daemonSeconds}'], { detached: true, stdio: 'ignore' }).unref()
const sleeps = (pid) => {
  try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8') === '/bin/sleep\\x00${daemonSeconds}\\x00' } catch { return false }
}
while (!fs.readdirSync('/proc').some(sleeps)) await new Promise((done) => setTimeout(done, 20))`,
      ),
      end: 'harmless',
      unisolated: { end: 'harmless' },
    },
  ]
}
