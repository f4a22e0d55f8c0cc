import { createHash } from 'node:crypto'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvaluationConfig } from '../../config/campaign-config.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import { LoreleyError } from '../../errors.ts'
import { writeFilesTo } from '../../git/checkout.ts'
import { listFiles, type TreeFile } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import type { Repository } from '../../git/repository.ts'
import { createRootIndex, createStagingArea, excludeUntracked, type StagingArea } from '../../git/staging.ts'
import { createCleanEnvironment } from '../../process/clean-environment.ts'
import { removeFolder } from '../../process/disk/remove-folder.ts'
import { writePrograms } from '../../process/isolation/candidate-launcher.ts'
import { runGroup, shellArgv } from '../../process/run-group.ts'
import { createWithheld, removePaths, type Withheld } from './withheld.ts'
import { copyFolder } from './workspace.ts'

/** Shared by all candidates of one root. Created once. */
export interface PreparedRoot {
  /** The root's files and the products of the set-up. Workspaces are copies of it. */
  readonly template: string
  /** A copy without the held-out files. The evaluator's own files run from here. */
  readonly trusted: string
  /** Programs for evaluation commands, first on their PATH. */
  readonly programs: string
  /** Files that only the held-out run gets. */
  readonly heldOut: Withheld
  readonly area: StagingArea
  readonly rootTree: string
  readonly rootFiles: readonly TreeFile[]
}

export interface PrepareRootOptions {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly folder: string
  readonly rootTree: string
  readonly evaluation: EvaluationConfig
  readonly path: string
  readonly passedEnvironment: Readonly<Record<string, string>>
  readonly owner: string
  readonly signal: AbortSignal
}

/** Prepares a root, or reuses what an earlier run prepared for the same root and set-up. */
export async function prepareRoot(options: PrepareRootOptions): Promise<PreparedRoot> {
  const heldOutPaths = options.evaluation.heldOut?.paths ?? []
  const key = createHash('sha256')
    .update(JSON.stringify([options.rootTree, options.evaluation.setup ?? '', heldOutPaths]))
    .digest('hex')
  const folder = join(options.folder, key.slice(0, 16))
  // Without namespaces, candidates run as another user and can read whatever is open to all users.
  const closed = join(folder, 'closed')
  const rootFiles = await listFiles(options.repository, options.rootTree)
  const preparedRoot: PreparedRoot = {
    template: join(closed, 'template'),
    trusted: join(folder, 'trusted'),
    programs: join(folder, 'programs'),
    heldOut: createWithheld(heldOutPaths, rootFiles),
    area: { repository: options.repository, folder: join(closed, 'git') },
    rootTree: options.rootTree,
    rootFiles,
  }
  const ready = join(closed, 'ready')
  if (!(await exists(ready))) {
    await removeFolder(folder)
    await mkdir(folder, { recursive: true })
    await mkdir(closed, { mode: 0o700 })
    await build(options, preparedRoot, closed)
    await writeFile(ready, '')
  }
  // Each time: another version of Loreley may have prepared the root.
  await writePrograms(preparedRoot.programs)
  return preparedRoot
}

async function build(options: PrepareRootOptions, preparedRoot: PreparedRoot, closed: string): Promise<void> {
  const { template, trusted, heldOut, area, rootTree } = preparedRoot
  const files = preparedRoot.rootFiles.map(({ pathBytes, mode, blob }) => ({
    pathBytes,
    version: { mode, blob },
  }))
  await mkdir(template)
  await writeFilesTo(template, files, options.objects)
  await createStagingArea(options.repository, area.folder)
  if (options.evaluation.setup !== undefined) {
    await runSetup(options, options.evaluation.setup, template, closed)
    // A set-up may rewrite tracked files, such as a lockfile. That must not look like a candidate's change.
    await writeFilesTo(template, files, options.objects)
  }
  await createRootIndex(area, rootTree, template)
  await excludeUntracked(area, template)
  await mkdir(trusted)
  await copyFolder({ from: template, to: trusted, path: options.path, owner: options.owner })
  await removePaths(trusted, heldOut.paths)
}

async function runSetup(
  options: PrepareRootOptions,
  line: string,
  template: string,
  closed: string,
): Promise<void> {
  const home = join(closed, 'home')
  const temp = join(closed, 'temp')
  await Promise.all([mkdir(home), mkdir(temp)])
  const outcome = await runGroup({
    argv: shellArgv(line),
    cwd: template,
    env: createCleanEnvironment({ path: options.path, home, temp, extra: options.passedEnvironment }),
    timeoutMs: options.evaluation.setupTimeoutSeconds * 1000,
    maxOutputBytes: options.evaluation.maxOutputBytes,
    signal: options.signal,
    owner: options.owner,
  })
  if (outcome.status === 'exited' && outcome.exitCode === 0) return
  options.signal.throwIfAborted()
  const how = outcome.status === 'exited' ? `exit code ${outcome.exitCode}` : outcome.status
  // Results are public, and an error message of a package registry may contain its token.
  const secrets = Object.values(options.passedEnvironment)
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
