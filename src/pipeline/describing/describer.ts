import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { CampaignConfig, EmbedderConfig } from '../../config/campaign-config.ts'
import { embedderIdentity } from '../../config/embedder-identity.ts'
import { NO_USAGE } from '../../core/budget/budget.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import type { Embedding } from '../../core/space/embedding.ts'
import { learnedAxes } from '../../core/space/learn.ts'
import { countLeftOut, type LeftOut } from '../../core/space/left-out.ts'
import { DiskCache } from '../../embedding/disk-cache.ts'
import { createPathRule } from '../../embedding/eligible.ts'
import { type EmbeddedCandidate, embedCandidate } from '../../embedding/embed-candidate.ts'
import { addPaid, afterPaying, EmbedderFault, NOTHING_PAID } from '../../embedding/embedder.ts'
import { FileVectors } from '../../embedding/file-vectors.ts'
import { embedTree } from '../../embedding/repo-state.ts'
import type { PathChange } from '../../git/listing.ts'
import type { ObjectStore } from '../../git/objects/object-store.ts'
import { DETAIL_CHARACTERS } from '../measuring/evaluate.ts'
import type { PreparedRoot } from '../workspace/prepared-root.ts'
import { createEmbedder } from './campaign-embedder.ts'

/** Embeds the change of a candidate, in campaigns with learned axes. */
export type Describer = (changes: readonly PathChange[]) => Promise<EmbeddedCandidate>

/** A candidate's description; empty where no axis is learned. */
export interface Described {
  readonly status: 'described'
  readonly embedding?: Embedding | undefined
  readonly usage: EmbeddedCandidate['usage']
}

/** The embedder failed, through no fault of the candidate. */
export interface NotDescribed {
  readonly status: 'failed'
  readonly reason: 'infrastructure'
  readonly code: 'embedder-failed'
  readonly detail: string
  readonly usage: EmbeddedCandidate['usage']
}

/** Describes a candidate. An embedder's fault is one job's failure: it must not end the campaign. */
export async function tryDescribe(
  describer: Describer | undefined,
  changes: readonly PathChange[],
): Promise<Described | NotDescribed> {
  try {
    return { status: 'described', usage: NO_USAGE, ...(await describer?.(changes)) }
  } catch (error) {
    if (!(error instanceof EmbedderFault)) throw error
    return {
      status: 'failed',
      reason: 'infrastructure',
      code: 'embedder-failed',
      detail: cleanOutput(`${error.message} ${error.hint}`, DETAIL_CHARACTERS),
      usage: error.paid,
    }
  }
}

export interface DescriberOptions {
  readonly config: CampaignConfig
  readonly objects: ObjectStore
  readonly preparedRoot: Pick<PreparedRoot, 'rootFiles' | 'trusted'>
  /** A cache of file vectors that outlives the run. Runners have none. */
  readonly cacheFolder?: string | undefined
  /** For the embedder openai. A job that describes nothing has none. */
  readonly key?: string | undefined
  readonly workspacesFolder: string
  readonly path: string
}

/** Undefined when no axis is learned: then nothing is embedded. */
export async function createDescriber(options: DescriberOptions): Promise<Describer | undefined> {
  const { config, objects } = options
  const { rootFiles } = options.preparedRoot
  if (learnedAxes(config) === 0) return undefined
  const embedder = createEmbedder(config.embedder, { ...options, trusted: options.preparedRoot.trusted })
  const readBlob = async (blob: string, maxBytes: number): Promise<Buffer | undefined> =>
    ((await objects.findSize(blob)) ?? 0) > maxBytes ? undefined : await objects.get(blob, 'blob')
  const vectors = new FileVectors(embedder, readBlob, createCache(config.embedder, options.cacheFolder))
  // From the root: a candidate must not decide which files count.
  const ignoreFile = rootFiles.find(({ path }) => path === '.loreleyignore')
  const rule = createPathRule(
    ignoreFile && (await objects.get(ignoreFile.blob, 'blob')).toString('utf8'),
    config.embedder.extensions,
  )
  const { descriptor } = config.search
  const byName = countLeftOut(rootFiles.map(({ path, mode }) => rule(path, mode)))
  const openRoot =
    descriptor === 'repo_state' ? createOnce(() => embedTree(rootFiles, rule, vectors)) : undefined
  return async (changes) => {
    const root = await openRoot?.()
    const paid = root?.isNew ? root.value.usage : NOTHING_PAID
    const { embedding, usage } = await afterPaying(paid, () =>
      embedCandidate({ changes, vectors, rule, root: root?.value }),
    )
    const described = { embedding, usage: addPaid(paid, usage) }
    return changes.length > 0 ? described : withRootFiles(described, root?.value.leftOut ?? byName)
  }
}

/**
 * Makes a value on first use: a job that describes nothing needs no embedder and no key. `isNew` tells the first caller
 * to book its cost. A failed attempt is repeated on the next call.
 */
function createOnce<T>(
  make: () => Promise<T>,
): () => Promise<{ readonly value: T; readonly isNew: boolean }> {
  let made: Promise<T> | undefined
  return async () => {
    const isNew = made === undefined
    made ??= make()
    try {
      return { value: await made, isNew }
    } catch (error) {
      if (isNew) made = undefined
      throw error
    }
  }
}

// A candidate lists the changed files that have no vector, the root all its files; for those, names suffice.
function withRootFiles({ embedding, usage }: EmbeddedCandidate, leftOut: LeftOut): EmbeddedCandidate {
  return Object.keys(leftOut).length === 0
    ? { embedding, usage }
    : { embedding: { ...embedding, leftOut }, usage }
}

function createCache(config: EmbedderConfig, folder: string | undefined): DiskCache | undefined {
  if (folder === undefined) return undefined
  const key = createHash('sha256').update(embedderIdentity(config)).digest('hex').slice(0, 16)
  return new DiskCache(join(folder, key), config.dimensions)
}
