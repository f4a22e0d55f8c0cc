import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { POLICIES } from '../../core/campaign/engine-config.ts'
import type { DemoOptions } from './commands/demo.ts'
import type { InitOptions } from './commands/init.ts'
import type { SandboxOptions } from './commands/sandbox.ts'
import type { ValidateOptions } from './commands/validate.ts'

const WORKFLOW_MACHINES = ['hosted', 'self-hosted', 'container'] as const satisfies InitOptions['github'][]

/**
 * The command line: names, options and help. What a command does is in commands/, and is loaded when it is used: the
 * sandbox, the App and the agents together take more than a second of processor time to load.
 */
export function createProgram(): Command {
  const program = new Command('loreley')
    .description(
      'Evolves a repository: candidates are commits, niches are branches, the repository is the archive.',
    )
    .version(readVersion(), '--version')
    .option('--repo <folder>', 'path of the repository', process.cwd())
    .exitOverride()
    .showHelpAfterError('(see loreley --help)')
    .enablePositionalOptions()
  addConfigCommands(program)
  addRunCommands(program)
  addReadingCommands(program)
  addSandboxCommand(program)
  return program
}

function addConfigCommands(program: Command): void {
  program
    .command('init')
    .description('write a commented .loreley.yml for this repository')
    .option('--force', 'replace an existing file')
    .addOption(
      new Option('--github [machine]', 'also write the GitHub Actions workflow, for this kind of machine')
        .choices(WORKFLOW_MACHINES)
        .preset('hosted'),
    )
    .action(async (options: InitOptions) =>
      (await import('./commands/init.ts')).init(repoOf(program), options),
    )
  program
    .command('validate')
    .description('check .loreley.yml; exits with 2 on problems')
    .option('--measure', 'also measure the root as a campaign would, and report its noise')
    .addOption(json())
    .action(async (options: ValidateOptions) =>
      (await import('./commands/validate.ts')).validate(repoOf(program), options),
    )
  program
    .command('doctor [campaign]')
    .description(
      'check what a campaign needs: repository, isolation, agent, and the model with one short question',
    )
    .addOption(json())
    .action(async (campaign, options: { json?: true }) =>
      (await import('./commands/doctor.ts')).doctor(repoOf(program), campaign, options),
    )
}

function addRunCommands(program: Command): void {
  const runOptions = (command: Command): Command =>
    command
      .option('--candidates <n>', 'number of candidates to try', upTo(1_000_000))
      .option('--parallel <n>', 'number of candidates to run at once', upTo(64))
      .option('--seed <n>', 'random seed', wholeNumber)
      .addOption(new Option('--policy <name>', 'how parents are chosen').choices(POLICIES))
      .option('--accept-noise', 'continue even if the numbers are too noisy for small gains')
      .addOption(json())
  runOptions(program.command('run [campaign]'))
    .description('run a campaign or continue it; Ctrl-C stops it cleanly')
    .action(async (campaign, options) =>
      (await import('./commands/run.ts')).run(repoOf(program), campaign, options),
    )
  runOptions(program.command('demo'))
    .description(
      'show the whole product on this machine: the GitHub sandbox, the App, and campaigns on two examples',
    )
    .option('--local', 'run only the first campaign, without a GitHub, in a temporary repository')
    .option('--keep', 'keep the sandbox running at the end, until Ctrl-C')
    .option('--port <n>', 'port of the sandbox; 0 picks a free one', port, 0)
    .action(async (options: DemoOptions & { local?: true }) =>
      options.local
        ? (await import('./commands/demo-local.ts')).demoLocally(options)
        : (await import('./commands/demo.ts')).demo(options),
    )
}

function addReadingCommands(program: Command): void {
  const reading = (name: string, description: string): Command =>
    program.command(name).description(description).addOption(json())
  reading('status [campaign]', 'show the status of a campaign').action(async (name, options) =>
    (await import('./commands/status.ts')).status(repoOf(program), name, options),
  )
  reading('best [campaign]', 'show the best candidate and how to get it').action(async (name, options) =>
    (await import('./commands/best.ts')).best(repoOf(program), name, options),
  )
  reading('show <candidate>', 'show one candidate: verdict, metrics, lineage, diff')
    .option('--campaign <name>', 'the campaign, if you give only an ordinal')
    .option('--transcript', 'show the conversation between agent and model')
    .addOption(
      new Option('--against <what>', 'base of the diff').choices(['parent', 'root']).default('parent'),
    )
    .action(async (candidate, options) =>
      (await import('./commands/show.ts')).show(repoOf(program), candidate, options),
    )
  reading('rebuild [campaign]', 'recompute the archive from the ledger and compare it').action(
    async (name, options) => (await import('./commands/rebuild.ts')).rebuild(repoOf(program), name, options),
  )
  program
    .command('clean [campaign]')
    .description('remove workspaces and caches; with --all also the campaign itself')
    .option('--all', 'also delete its branches, refs and state')
    .action(async (name, options: { all?: true }) =>
      (await import('./commands/clean.ts')).clean(repoOf(program), name, options),
    )
}

function addSandboxCommand(program: Command): void {
  program
    .command('sandbox')
    .description(
      'start a GitHub on this machine, with a repository and users to try things on; Ctrl-C stops it',
    )
    .option('--port <n>', 'port; 0 picks a free one', port, 8480)
    .option('--folder <path>', 'folder for its state; default: a temporary one')
    .option('--parallel <n>', 'number of workflow jobs to run at once', upTo(64), 4)
    .option('--no-runner', 'leave workflow runs queued')
    .option(
      '--action <name=folder>',
      'use a folder for an action instead of the built-in one; repeatable',
      actionFolder,
      {},
    )
    .addOption(json())
    .action(async (options: SandboxOptions) => (await import('./commands/sandbox.ts')).sandbox(options))
}

function repoOf(program: Command): string {
  return program.opts<{ repo: string }>().repo
}

function json(): Option {
  return new Option('--json', 'print JSON')
}

function actionFolder(text: string, known: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, folder] = /^([^/=\s]+\/[^/=\s]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || folder === undefined)
    throw new InvalidArgumentError('It must be owner/repo=folder or owner/repo@ref=folder.')
  return { ...known, [name]: resolve(folder) }
}

function port(text: string): number {
  const number = wholeNumber(text)
  if (number > 65_535) throw new InvalidArgumentError('It must be at most 65535.')
  return number
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.')
  return number
}

/** A whole number from 1 to the same bound that the config has. */
function upTo(most: number): (text: string) => number {
  return (text) => {
    const number = wholeNumber(text)
    if (number === 0) throw new InvalidArgumentError('It must be 1 or more.')
    if (number > most) throw new InvalidArgumentError(`It must be at most ${most}.`)
    return number
  }
}

function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version } = parsePackage(JSON.parse(text))
  return version
}

function parsePackage(value: unknown): { version: string } {
  return value as { version: string }
}
