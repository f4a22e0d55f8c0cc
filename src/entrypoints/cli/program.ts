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
    .option('--repo <folder>', 'the repository', process.cwd())
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
      new Option(
        '--github [machine]',
        'also write the workflow that GitHub Actions runs, and where it measures',
      )
        .choices(WORKFLOW_MACHINES)
        .preset('hosted'),
    )
    .action(async (options: InitOptions) =>
      (await import('./commands/init.ts')).init(repoOf(program), options),
    )
  program
    .command('validate')
    .description('check .loreley.yml; exit code 2 when something is wrong')
    .option('--measure', 'also measure the root as a campaign would, and tell how much its numbers vary')
    .addOption(json())
    .action(async (options: ValidateOptions) =>
      (await import('./commands/validate.ts')).validate(repoOf(program), options),
    )
  program
    .command('doctor [campaign]')
    .description('try what a campaign needs: repository, agent, and its model with one short question')
    .addOption(json())
    .action(async (campaign, options: { json?: true }) =>
      (await import('./commands/doctor.ts')).doctor(repoOf(program), campaign, options),
    )
}

function addRunCommands(program: Command): void {
  const runOptions = (command: Command): Command =>
    command
      .option('--candidates <n>', 'how many candidates to try', atLeastOne)
      .option('--parallel <n>', 'how many at once', atLeastOne)
      .option('--seed <n>', 'the seed of all chance', wholeNumber)
      .addOption(new Option('--policy <name>', 'how parents are chosen').choices(POLICIES))
      .option('--accept-noise', 'go on though the numbers vary too much for small gains')
      .addOption(json())
  runOptions(program.command('run [campaign]'))
    .description('run a campaign, or carry on one that was begun; Ctrl-C stops it cleanly')
    .action(async (campaign, options) =>
      (await import('./commands/run.ts')).run(repoOf(program), campaign, options),
    )
  runOptions(program.command('demo'))
    .description(
      'the whole product on this machine: a GitHub in a box, the App, and campaigns on two examples',
    )
    .option('--local', 'the first campaign without a GitHub, in a temporary repository')
    .option('--keep', 'leave the box up at the end, until Ctrl-C')
    .option('--port <n>', "the box's port; 0 takes any that is free", wholeNumber, 0)
    .action(async (options: DemoOptions & { local?: true }) =>
      options.local
        ? (await import('./commands/demo-local.ts')).demoLocally(options)
        : (await import('./commands/demo.ts')).demo(options),
    )
}

function addReadingCommands(program: Command): void {
  const reading = (name: string, description: string): Command =>
    program.command(name).description(description).addOption(json())
  reading('status [campaign]', 'where a campaign stands').action(async (name, options) =>
    (await import('./commands/status.ts')).status(repoOf(program), name, options),
  )
  reading('best [campaign]', 'the best candidate, and how to get it').action(async (name, options) =>
    (await import('./commands/best.ts')).best(repoOf(program), name, options),
  )
  reading('show <candidate>', 'one candidate: verdict, metrics, lineage, diff')
    .option('--campaign <name>', 'the campaign, when only an ordinal is given')
    .option('--transcript', 'what was said between its agent and the model')
    .addOption(
      new Option('--against <what>', 'what the diff starts from')
        .choices(['parent', 'root'])
        .default('parent'),
    )
    .action(async (candidate, options) =>
      (await import('./commands/show.ts')).show(repoOf(program), candidate, options),
    )
  reading('rebuild [campaign]', 'recompute the archive from the ledger and compare').action(
    async (name, options) => (await import('./commands/rebuild.ts')).rebuild(repoOf(program), name, options),
  )
  program
    .command('clean [campaign]')
    .description('remove work folders and caches; with --all also the campaign itself')
    .option('--all', 'also delete its branches, refs and state')
    .action(async (name, options: { all?: true }) =>
      (await import('./commands/clean.ts')).clean(repoOf(program), name, options),
    )
}

function addSandboxCommand(program: Command): void {
  program
    .command('sandbox')
    .description('a GitHub on this machine, with a repository and users to try things on; Ctrl-C stops it')
    .option('--port <n>', 'the port; 0 takes any that is free', wholeNumber, 8480)
    .option('--folder <path>', 'where its state is kept and carried on; a temporary one unless given')
    .option('--parallel <n>', 'how many workflow jobs run at once', atLeastOne, 4)
    .option('--no-runner', 'leave workflow runs queued')
    .option(
      '--action <name=folder>',
      'a folder for an action, instead of our stand-in; may be repeated',
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
  return new Option('--json', 'for machines')
}

function actionFolder(text: string, known: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, folder] = /^([^/=\s]+\/[^/=\s]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || folder === undefined)
    throw new InvalidArgumentError('It must be owner/repo=folder or owner/repo@ref=folder.')
  return { ...known, [name]: resolve(folder) }
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.')
  return number
}

function atLeastOne(text: string): number {
  const number = wholeNumber(text)
  if (number === 0) throw new InvalidArgumentError('It must be 1 or more.')
  return number
}

function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version } = parsePackage(JSON.parse(text))
  return version
}

function parsePackage(value: unknown): { version: string } {
  return value as { version: string }
}
