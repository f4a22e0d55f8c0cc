import { LoreleyError } from '../../errors.ts'
import type { CampaignConfig } from '../campaign-config.ts'
import type { EnvironmentVariables } from './environment.ts'

/**
 * The key of a campaign's embedder; undefined when it needs none. Throws when the key is missing, before an agent is paid
 * for a candidate that could not be placed. An empty variable counts as unset: that is how GitHub passes a secret that
 * does not exist.
 */
export function readEmbedderKey(
  { embedder, search }: Pick<CampaignConfig, 'embedder' | 'search'>,
  env: EnvironmentVariables = process.env,
): string | undefined {
  if (embedder.use !== 'openai' || !embedder.needsKey || search.descriptor === 'metrics') return undefined
  const key = env[embedder.keyVariable]
  if (key) return key
  throw new LoreleyError(
    'embedder-failed',
    `The embedder openai needs a key, and the environment variable ${embedder.keyVariable} is not set.`,
    `Set ${embedder.keyVariable}; on GitHub, add it as a repository secret and pass it in \`env\` of the propose step. Or set search.embedder.needs_key to false if the endpoint needs no key, or search.embedder.use to hashing.`,
  )
}

/**
 * Why an embedder cannot be used on runners. They keep no vectors between runs, so an endpoint would embed the whole
 * repository for every candidate.
 */
export function findRunnerFault({
  embedder,
  search,
}: Pick<CampaignConfig, 'embedder' | 'search'>): LoreleyError | undefined {
  if (embedder.use !== 'openai' || search.descriptor !== 'repo_state') return undefined
  return new LoreleyError(
    'embedder-failed',
    'With search.descriptor repo_state, the embedder openai would embed the whole repository for every candidate.',
    'Use the descriptor delta, the embedder hashing or command, or `loreley run`, which caches vectors.',
  )
}
