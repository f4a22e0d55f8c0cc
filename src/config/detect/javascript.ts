import * as z from 'zod'
import type { Commands, Project } from './project.ts'

const manifestSchema = z.object({
  packageManager: z.string().optional().catch(undefined),
  scripts: z.record(z.string(), z.string()).catch({}).default({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}).default({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}).default({}),
})

const MANAGERS = [
  {
    name: 'npm',
    locks: ['package-lock.json', 'npm-shrinkwrap.json'],
    frozen: 'npm ci',
    loose: 'npm install',
  },
  {
    name: 'pnpm',
    locks: ['pnpm-lock.yaml'],
    frozen: 'pnpm install --frozen-lockfile',
    loose: 'pnpm install',
  },
  { name: 'yarn', locks: ['yarn.lock'], frozen: 'yarn install --immutable', loose: 'yarn install' },
  {
    name: 'bun',
    locks: ['bun.lock', 'bun.lockb'],
    frozen: 'bun install --frozen-lockfile',
    loose: 'bun install',
  },
] as const

/** npm, pnpm, yarn or bun, and the scripts of package.json. */
export async function detectJavaScript(project: Project): Promise<Commands> {
  const manifest = parseManifest(await project.read('package.json'))
  if (manifest === undefined) return { test: project.some(/\.test\.m?js$/) ? 'node --test' : undefined }
  const declared = manifest.packageManager?.split('@')[0]
  const manager =
    MANAGERS.find(({ name }) => name === declared) ??
    MANAGERS.find(({ locks }) => project.findFirst(locks) !== undefined) ??
    MANAGERS[0]
  const hasDependencies = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0
  const lock = project.findFirst(manager.locks)
  const script = ['bench', 'benchmark', 'perf'].find((name) => Object.hasOwn(manifest.scripts, name))
  return {
    packageManager: manager.name,
    setup: hasDependencies || lock !== undefined ? await setupLine(project, manager, lock) : undefined,
    test: hasRealTests(manifest.scripts)
      ? `${manager.name === 'bun' ? 'bun run' : manager.name} test`
      : undefined,
    benchmark: script && `${manager.name} run ${manager.name === 'yarn' ? '' : '--silent '}${script}`,
  }
}

async function setupLine(
  project: Project,
  manager: (typeof MANAGERS)[number],
  lock: string | undefined,
): Promise<string> {
  if (lock === undefined) return manager.loose
  // Yarn 1 has no --immutable; only its lockfile starts with this line.
  const isYarn1 = lock === 'yarn.lock' && (await project.read(lock)).includes('# yarn lockfile v1')
  return isYarn1 ? 'yarn install --frozen-lockfile' : manager.frozen
}

function hasRealTests(scripts: Readonly<Record<string, string>>): boolean {
  const test = Object.hasOwn(scripts, 'test') ? scripts.test : undefined
  return test !== undefined && !test.includes('no test specified')
}

function parseManifest(text: string): z.output<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data
  } catch {
    // No manifest, or a broken one: go on without it.
    return undefined
  }
}
