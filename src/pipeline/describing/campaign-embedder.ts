import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbedderConfig } from '../../config/campaign-config.ts'
import { cleanText } from '../../core/clean-text.ts'
import type { Embedder } from '../../embedding/embedder.ts'
import { type CommandRunner, createCommandEmbedder } from '../../embedding/embedders/command.ts'
import { createHashingEmbedder } from '../../embedding/embedders/hashing.ts'
import { createOpenAiEmbedder } from '../../embedding/embedders/openai.ts'
import { createCleanEnvironment } from '../../process/clean-environment.ts'
import { runGroup, shellArgv } from '../../process/run-group.ts'
import { describeEnd } from '../measuring/evaluate.ts'

export interface EmbedderOptions {
  /** For the embedder openai. A job that describes nothing has none. */
  readonly key?: string | undefined
  /** A checkout of the root that no candidate can write to. */
  readonly trusted: string
  readonly workspacesFolder: string
  readonly path: string
}

/** The embedder that a config names. */
export function createEmbedder(config: EmbedderConfig, options: EmbedderOptions): Embedder {
  const { dimensions, command = '' } = config
  switch (config.use) {
    case 'hashing':
      return createHashingEmbedder(dimensions)
    case 'openai':
      return createOpenAiEmbedder({ ...config, apiKey: options.key })
    case 'command':
      return createCommandEmbedder(dimensions, createRunner(command, options))
  }
}

const COMMAND_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024
const SAID_CHARACTERS = 500

// The maintainer's own program, from the config and the root. It sees texts of candidates, but none of our secrets.
function createRunner(command: string, { trusted, workspacesFolder, path }: EmbedderOptions): CommandRunner {
  const [home, temp] = [
    join(workspacesFolder, 'embedder', 'home'),
    join(workspacesFolder, 'embedder', 'temp'),
  ]
  return async (stdin) => {
    for (const folder of [home, temp]) await mkdir(folder, { recursive: true })
    const outcome = await runGroup({
      argv: shellArgv(command),
      cwd: trusted,
      env: createCleanEnvironment({ path, home, temp, extra: { LORELEY_TRUSTED: trusted } }),
      timeoutMs: COMMAND_TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      stdin,
      owner: workspacesFolder,
    })
    if (outcome.status === 'exited' && outcome.exitCode === 0) return { output: outcome.stdout }
    return { fault: `${describeEnd(outcome)}: ${cleanText(outcome.stderr, SAID_CHARACTERS)}` }
  }
}
