import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GroupOutcome, runGroup } from '../run-group.ts'
import { CANDIDATE_USER } from './enclosure.ts'
import type { Isolation, IsolationRequest } from './isolation.ts'

const TRIAL_MS = 20_000

/** Whether a level works, and what it lacks. */
export type Trial =
  | { readonly status: 'works'; readonly lacks?: string | undefined }
  | { readonly status: 'fails'; readonly detail: string }

/** Tries a level: no list of features is reliable. */
export async function tryOut(request: IsolationRequest, isolation: Isolation): Promise<Trial> {
  const trial = join(request.trialFolder, 'isolation-trial')
  const [own, ours] = [join(trial, 'own'), join(trial, 'ours')]
  const layer = { lower: join(trial, 'lower'), upper: own, work: join(trial, 'work') }
  try {
    for (const folder of [own, ours, layer.lower, layer.work]) await mkdir(folder, { recursive: true })
    await writeFile(join(ours, 'file'), '')
    await writeFile(join(layer.lower, 'shared'), '')
    await isolation.give(own)
    const outcome = await runGroup({
      argv: ['/bin/sh', '-c', TRIAL, 'trial', join(ours, 'file'), ...(request.entered ?? [])],
      cwd: own,
      env: {
        PATH: request.path,
        SHARED: isolation.sharesLayers ? 'shared' : '.',
        EXPECTED: String(isolation.user === 'own' ? process.getuid?.() : CANDIDATE_USER),
      },
      timeoutMs: TRIAL_MS,
      maxOutputBytes: 4096,
      enclosure: { isolation, own, readOnly: [ours], layer: isolation.sharesLayers ? layer : undefined },
    })
    return judge(outcome, isolation)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { status: 'fails', detail: message.trim().split('\n').at(-1) ?? '' }
  } finally {
    await isolation.remove(trial).catch(() => rm(trial, { recursive: true, force: true }))
  }
}

function judge(outcome: GroupOutcome, { network }: Isolation): Trial {
  if (outcome.status === 'not-started') return { status: 'fails', detail: outcome.reason }
  if (outcome.status !== 'exited' || outcome.exitCode !== 0)
    return { status: 'fails', detail: outcome.stderr.trim().split('\n').at(-1) || outcome.status }
  // Most evaluators do not need localhost, so this level beats a weaker one that has it.
  const isCut = network === 'none' && outcome.stdout.includes(NO_LOOPBACK)
  return { status: 'works', lacks: isCut ? LACKS_LOOPBACK : undefined }
}

const NO_LOOPBACK = 'no loopback'
const LACKS_LOOPBACK =
  'Candidate code cannot reach localhost, not even its own servers, because its loopback interface could not be brought up. That takes `ip` (package iproute2), `ifconfig` or `perl`, and in a container `--cap-add NET_ADMIN`. An evaluation that needs localhost will fail.'

// A umask may hide our files from a separate user, and closed folders the programs on the PATH. /sys shows the machine's
// network, so the addresses are read from /proc.
const TRIAL = `[ "$(id -u)" = "$EXPECTED" ] || { echo "it is the user $(id -u)" >&2; exit 1; }
: > trial && [ -e "$PWD/trial" ] || { echo 'it cannot use its own folder' >&2; exit 1; }
[ -e "$SHARED" ] || { echo 'it cannot see shared files' >&2; exit 1; }
[ -r "$1" ] || { echo 'it cannot read files that we make, because of our umask' >&2; exit 1; }
shift
for folder; do [ -x "$folder" ] || { echo "it cannot enter $folder" >&2; exit 1; }; done
if [ -r /proc/net/fib_trie ]; then
  case $(cat /proc/net/fib_trie) in *127.0.0.1*) ;; *) echo '${NO_LOOPBACK}' ;; esac
fi`
