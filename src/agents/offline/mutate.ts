import type { Operator } from '../../core/planning/operators.ts'
import type { Rng } from '../../core/rng.ts'
import type { AgentTask } from '../agent.ts'
import type { Draft } from './draft.ts'
import { applySplices } from './edits/edit.ts'
import type { WeightedEdit } from './mix.ts'
import { pickByWeight } from './pick-by-weight.ts'
import type { Deed } from './summary.ts'

const MAX_EDITS = 3
const MAX_TRIES = 40

/** Draws edits until enough were taken or the tries run out. Returns the ones taken. */
export async function mutate(
  draft: Draft,
  mix: readonly WeightedEdit[],
  { brief, rng, signal }: AgentTask,
): Promise<Deed[]> {
  const deeds: Deed[] = []
  const wanted = drawCount(brief.operator, rng)
  for (let tries = 0; tries < MAX_TRIES && deeds.length < wanted; tries++) {
    signal.throwIfAborted()
    const deed = await tryOne(draft, mix, rng)
    if (deed !== undefined) deeds.push(deed)
  }
  return deeds
}

// Geometric: a single edit can be judged on its own, while several together can escape a local optimum.
function drawCount(operator: Operator, rng: Rng): number {
  const more = operator === 'fresh' ? 0.5 : 0.25
  let count = 1
  while (count < MAX_EDITS && rng.unit() < more) count++
  return count
}

async function tryOne(draft: Draft, mix: readonly WeightedEdit[], rng: Rng): Promise<Deed | undefined> {
  const chosen = pickByWeight(mix, rng)
  const file = pickByWeight(draft.files, rng)
  if (chosen === undefined || file === undefined) return undefined
  const source = await draft.read(file.path)
  if (source === undefined) return undefined
  const proposal = chosen.edit.propose(source, rng)
  if (proposal === undefined) return undefined
  const taken = await draft.offer(file.path, applySplices(source.text, proposal.splices))
  return taken ? { verb: chosen.edit.verb, noun: chosen.edit.noun, count: proposal.count } : undefined
}
