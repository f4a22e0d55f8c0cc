import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentTask, Brief, Version, Workspace } from '../../../src/agents/agent.ts'
import { Meter } from '../../../src/agents/meter.ts'
import { Transcript } from '../../../src/agents/transcript.ts'
import { rngFor } from '../../../src/core/rng.ts'
import { aBrief } from '../../support/builders.ts'

type Texts = Readonly<Record<string, string>>

interface Options {
  readonly editablePaths?: readonly string[]
  /** Texts of other versions, by `root` or ordinal. */
  readonly versions?: Readonly<Record<string, Texts>>
}

/** Runs `work` in a temporary folder that holds the files. */
export async function withWorkspace<T>(
  files: Texts,
  options: Options,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-agent-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const readAt = async (version: Version, path: string) => options.versions?.[version]?.[path]
    const editablePaths = options.editablePaths ?? Object.keys(files).sort()
    return await work({
      folder,
      scratch: join(folder, '.scratch'),
      owner: folder,
      editablePaths,
      canEdit: (path) => editablePaths.includes(path),
      readAt,
      diffFromRoot: async () => undefined,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A task for the agent; `seed` fixes everything random. */
export function aTask(workspace: Workspace, seed: number, brief: Partial<Brief> = {}): AgentTask {
  return {
    brief: aBrief(brief),
    workspace,
    rng: rngFor(seed, 1, 'agent'),
    signal: new AbortController().signal,
    meter: new Meter(),
    transcript: new Transcript(),
  }
}

/** The files' texts as they are now. */
export async function textsIn(folder: string, paths: readonly string[]): Promise<Record<string, string>> {
  const entries = paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(entries))
}
