import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { createGitEnvironment, type GitEnvironment } from '../../git/command.ts'
import type { ResultDocument } from '../../protocol/result.ts'

/** The machine that the action runs on, as its environment describes it. */
export interface RunnerMachine {
  /** Our own folder, which every user may enter. Candidates work below it. */
  readonly folder: string
  /** Where the workflow's upload steps look for files. */
  readonly outbox: string
  /** Where the workflow's download step puts the proposal. */
  readonly inbox: string
  readonly workspace: string
  readonly home: string
  readonly temp: string
  readonly path: string
  readonly toolCache: string
  /** One of GitHub's own machines, thrown away after the job. */
  readonly isHosted: boolean
  readonly repositoryUrl: string
  readonly gitEnvironment: GitEnvironment
  readonly facts: ResultDocument['runner']
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the runner's variables and creates our folders. */
export async function openMachine(env: Environment): Promise<RunnerMachine> {
  const temp = env.RUNNER_TEMP || tmpdir()
  const folder = await mkdtemp(join(tmpdir(), 'loreley-'))
  await chmod(folder, 0o755)
  const path = env.PATH ?? ''
  const gitHome = join(folder, 'git-home')
  const outbox = join(temp, 'loreley')
  await Promise.all([gitHome, outbox].map((each) => mkdir(each, { recursive: true })))
  const workspace = env.GITHUB_WORKSPACE || process.cwd()
  await writeFile(join(gitHome, '.gitconfig'), trustIn(workspace))
  return {
    folder,
    outbox,
    inbox: join(temp, 'loreley-proposal'),
    workspace,
    home: env.HOME ?? '',
    temp,
    path,
    toolCache: env.RUNNER_TOOL_CACHE ?? '',
    isHosted: env.RUNNER_ENVIRONMENT === 'github-hosted',
    repositoryUrl: `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}`,
    // Git gets nothing from the step's environment, because that holds the model's key.
    gitEnvironment: createGitEnvironment({ PATH: path, HOME: gitHome }),
    facts: readFacts(env),
  }
}

// In a container the workspace belongs to the machine's user, and git would refuse to read it. actions/checkout sets
// the same option, but in a home folder that we do not use.
function trustIn(workspace: string): string {
  return `[safe]\n\tdirectory = "${workspace.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"\n`
}

function readFacts(env: Environment): ResultDocument['runner'] {
  const short = (text: string | undefined): string =>
    (text ?? '').replaceAll(/[^\x20-\x7e]/g, '').slice(0, 100)
  return {
    os: short(env.RUNNER_OS ?? process.platform),
    arch: short(env.RUNNER_ARCH ?? process.arch).slice(0, 40),
    image: short([env.ImageOS, env.ImageVersion].filter(Boolean).join(' ')),
    cpu: short(cpus()[0]?.model),
    cpus: cpus().length,
    memoryMb: Math.round(totalmem() / 1024 / 1024),
    node: process.version,
  }
}
