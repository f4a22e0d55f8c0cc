import { LoreleyError } from '../errors.ts'
import type { Snapshot } from '../store/state-store.ts'

/** Throws when a run ended before the search began, because of what the root measured. */
export function assertBaseline({ state }: Snapshot, isIsolated: boolean): void {
  const { status } = state.campaign
  if (status.phase === 'paused' && status.reason === 'too-noisy')
    throw new LoreleyError(
      'evaluator-too-noisy',
      `Nothing was spent on the search yet: ${status.detail}.`,
      'Make the evaluation steadier, raise evaluation.sampling.max_pairs, or set evaluation.sampling.smallest_gain to what you can live with. `loreley run --accept-noise` goes on regardless.',
    )
  if (status.phase !== 'paused' || status.reason !== 'baseline-invalid') return
  // What works by hand and not here may need what candidate code does not get to see.
  const apart =
    ' It ran apart from your files and the network: see evaluation.network, evaluation.environment and evaluation.isolation.'
  throw new LoreleyError(
    'evaluator-baseline-invalid',
    `The root itself cannot be measured: ${status.detail}`,
    `Run the evaluation by hand in a fresh clone.${isIsolated ? apart : ''} When it works there, \`loreley run\` tries again.`,
  )
}
