import { createHash } from 'node:crypto'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvaluationConfig } from '../config/campaign-config.ts'
import { cleanOutput } from '../core/redact-secrets.ts'
import { LoreleyError } from '../errors.ts'
import { writeFilesTo } from '../git/checkout.ts'
import { listFiles, type TreeFile } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects/object-store.ts'
import type { Repository } from '../git/repository.ts'
import { createRootIndex, createStagingArea, excludeUntracked, type StagingArea } from '../git/staging.ts'
import { createCleanEnvironment } from '../process/clean-environment.ts'
import { runGroup, shellArgv } from '../process/run-group.ts'
import { createWithheld, removePlaces, type Withheld } from './withheld.ts'
import { copyFolder } from './work-folder.ts'

/** Everything candidates of one root have in common, made once. */
export interface Workshop {
  /** The root's files and the products of the set-up: what work folders are copied from. */
  readonly template: string
  /** Another such copy without what is held out, from which the evaluator's own files are run. */
  readonly trusted: string
  /** What only the held-out run gets. */
  readonly heldOut: Withheld
  readonly area: StagingArea
  readonly rootTree: string
  readonly rootFiles: readonly TreeFile[]
}

export interface WorkshopOrder {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly place: string
  readonly rootTree: string
  readonly evaluation: EvaluationConfig
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly owner: string
  readonly signal: AbortSignal
}

/** Makes the workshop, or opens it when an earlier run has made it for the same root and set-up. */
export async function openWorkshop(order: WorkshopOrder): Promise<Workshop> {
  const heldOutPaths = order.evaluation.heldOut?.paths ?? []
  const key = createHash('sha256')
    .update(JSON.stringify([order.rootTree, order.evaluation.setup ?? '', heldOutPaths]))
    .digest('hex')
  const place = join(order.place, key.slice(0, 16))
  // Where candidates are another user without namespaces, they read whatever is open to all users.
  const closed = join(place, 'closed')
  const rootFiles = await listFiles(order.repository, order.rootTree)
  const workshop: Workshop = {
    template: join(closed, 'template'),
    trusted: join(place, 'trusted'),
    heldOut: createWithheld(heldOutPaths, rootFiles),
    area: { repository: order.repository, folder: join(closed, 'git') },
    rootTree: order.rootTree,
    rootFiles,
  }
  const ready = join(closed, 'ready')
  if (await exists(ready)) return workshop
  await rm(place, { recursive: true, force: true })
  await mkdir(place, { recursive: true })
  await mkdir(closed, { mode: 0o700 })
  await build(order, workshop, closed)
  await writeFile(ready, '')
  return workshop
}

async function build(order: WorkshopOrder, workshop: Workshop, closed: string): Promise<void> {
  const { template, trusted, heldOut, area, rootTree } = workshop
  const files = workshop.rootFiles.map(({ pathBytes, mode, blob }) => ({
    pathBytes,
    version: { mode, blob },
  }))
  await mkdir(template)
  await writeFilesTo(template, files, order.objects)
  await createStagingArea(order.repository, area.folder)
  if (order.evaluation.setup !== undefined) {
    await runSetup(order, order.evaluation.setup, template, closed)
    // A set-up that rewrites tracked files (a lockfile, say) must not look like every candidate's own change.
    await writeFilesTo(template, files, order.objects)
  }
  await createRootIndex(area, rootTree, template)
  await excludeUntracked(area, template)
  await mkdir(trusted)
  await copyFolder({ from: template, to: trusted, path: order.path, owner: order.owner })
  await removePlaces(trusted, heldOut.places)
}

async function runSetup(order: WorkshopOrder, line: string, template: string, closed: string): Promise<void> {
  const home = join(closed, 'home')
  const temp = join(closed, 'temp')
  await Promise.all([mkdir(home), mkdir(temp)])
  const outcome = await runGroup({
    argv: shellArgv(line),
    cwd: template,
    env: createCleanEnvironment({ path: order.path, home, temp, extra: order.passedEnvironment }),
    timeoutMs: order.evaluation.setupTimeoutSeconds * 1000,
    maxOutputBytes: order.evaluation.maxOutputBytes,
    signal: order.signal,
    owner: order.owner,
  })
  if (outcome.status === 'exited' && outcome.exitCode === 0) return
  order.signal.throwIfAborted()
  const how = outcome.status === 'exited' ? `exit code ${outcome.exitCode}` : outcome.status
  // Everybody reads a result. What a set-up says of a registry that refused it may well hold the token for it.
  const secrets = Object.values(order.passedEnvironment)
  const said = cleanOutput(`${outcome.stdout}\n${outcome.stderr}`, 2000, secrets)
  throw new LoreleyError(
    'evaluator-setup-failed',
    `evaluation.setup (${line}) failed with ${how}:\n${said}`,
    'Run the command by hand in a fresh clone. Variables it needs are passed on with evaluation.environment.',
  )
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
