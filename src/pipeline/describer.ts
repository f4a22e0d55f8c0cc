import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { CampaignConfig, EmbedderConfig } from '../config/campaign-config.ts'
import { countLeftOut, type LeftOut } from '../core/left-out.ts'
import { learnedAxes } from '../core/space/learn.ts'
import { DiskCache } from '../embedding/disk-cache.ts'
import { createPathRule } from '../embedding/eligible.ts'
import { type EmbeddedCandidate, embedCandidate } from '../embedding/embed-candidate.ts'
import type { Embedder } from '../embedding/embedder.ts'
import { type CommandRunner, createCommandEmbedder } from '../embedding/embedders/command.ts'
import { createHashingEmbedder } from '../embedding/embedders/hashing.ts'
import { createOpenAiEmbedder } from '../embedding/embedders/openai.ts'
import { FileVectors } from '../embedding/file-vectors.ts'
import { embedTree } from '../embedding/repo-state.ts'
import type { PathChange, TreeFile } from '../git/listing.ts'
import type { ObjectStore } from '../git/objects.ts'
import { runGroup, shellArgv } from '../process/run-group.ts'

/** Says what candidates of a campaign with learned axes are about. */
export type Describer = (changes: readonly PathChange[]) => Promise<EmbeddedCandidate>

export interface DescriberOrder {
  readonly config: CampaignConfig
  readonly objects: ObjectStore
  readonly rootFiles: readonly TreeFile[]
  /** Where vectors of files are kept from run to run; runners have no such place. */
  readonly cacheFolder?: string | undefined
  /** Of the embedder openai; a job that describes no change has none. */
  readonly key?: string | undefined
  readonly workPlace: string
  readonly path: string
}

/** Undefined when no axis is learned: then nothing is embedded. */
export async function createDescriber(order: DescriberOrder): Promise<Describer | undefined> {
  const { config, objects, rootFiles } = order
  if (learnedAxes(config) === 0) return undefined
  const embedder = createEmbedder(config.embedder, order)
  const readBlob = (blob: string): Promise<Buffer> => objects.get(blob, 'blob')
  const vectors = new FileVectors(embedder, readBlob, createCache(embedder, order.cacheFolder))
  // From the root, not from the candidate: what counts must not be the candidate's to decide.
  const ignoreFile = rootFiles.find(({ path }) => path === '.loreleyignore')
  const rule = createPathRule(ignoreFile && (await readBlob(ignoreFile.blob)).toString('utf8'))
  const { descriptor } = config.search
  const byName = countLeftOut(rootFiles.map(({ path, mode }) => rule(path, mode)))
  // On the first question: a job that describes nothing needs no embedder, and no key for one.
  let root: ReturnType<typeof embedTree> | undefined
  return async (changes) => {
    if (descriptor === 'repo_state') root ??= embedTree(rootFiles, rule, vectors)
    const described = await embedCandidate({ changes, vectors, rule, root: await root })
    return changes.length > 0 ? described : withRootFiles(described, (await root)?.leftOut ?? byName)
  }
}

// A candidate is described by what it changed, the root by all that it has: of the whole tree the names are enough.
function withRootFiles({ embedding, usage }: EmbeddedCandidate, leftOut: LeftOut): EmbeddedCandidate {
  return Object.keys(leftOut).length === 0
    ? { embedding, usage }
    : { embedding: { ...embedding, leftOut }, usage }
}

function createCache(embedder: Embedder, folder: string | undefined): DiskCache | undefined {
  if (folder === undefined) return undefined
  const key = createHash('sha256').update(embedder.identity).digest('hex').slice(0, 16)
  return new DiskCache(join(folder, key), embedder.dimensions)
}

function createEmbedder(config: EmbedderConfig, order: DescriberOrder): Embedder {
  const { dimensions, model, baseUrl, dollarsPerMillionTokens, command = '' } = config
  switch (config.use) {
    case 'hashing':
      return createHashingEmbedder(dimensions)
    case 'openai':
      return createOpenAiEmbedder({
        baseUrl,
        model,
        dimensions,
        apiKey: order.key,
        dollarsPerMillionTokens,
      })
    case 'command':
      return createCommandEmbedder(command, dimensions, createRunner(command, order))
  }
}

const COMMAND_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024

// The maintainer's own program, from the config: it sees texts of candidates, and no secret of ours.
function createRunner(command: string, { workPlace, path }: DescriberOrder): CommandRunner {
  return async (stdin) => {
    const outcome = await runGroup({
      argv: shellArgv(command),
      cwd: workPlace,
      env: { PATH: path },
      timeoutMs: COMMAND_TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      stdin,
      owner: workPlace,
    })
    if (outcome.status === 'exited' && outcome.exitCode === 0) return { output: outcome.stdout }
    return { fault: `it ended as ${outcome.status}: ${outcome.stderr.slice(-500)}` }
  }
}
