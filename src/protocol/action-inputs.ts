import * as z from 'zod'
import { LoreleyError } from '../errors.ts'
import { type DispatchInputs, dispatchInputs, findBinding, type ProposalBinding } from './dispatch.ts'

/** What a step of the workflow asks of the action. */
export interface ActionInputs {
  readonly step: 'propose' | 'evaluate'
  readonly order: DispatchInputs
  /** What `evaluate` must find in the downloaded proposal; undefined for kinds without one. */
  readonly proposal: ProposalBinding | undefined
}

const step = z.enum(['propose', 'evaluate'])

/** Checks the inputs by pattern: before this nothing is done with them, not even printed. */
export function parseActionInputs(read: (name: string) => string): ActionInputs {
  const given = Object.fromEntries(
    ['kind', 'candidate', 'state', 'root', 'base', 'nonce'].map((name) => [name, read(name)]),
  )
  const order = dispatchInputs.safeParse(given)
  if (!order.success) throw invalid(z.prettifyError(order.error).replaceAll(/\s*\n\s*/g, ' '))
  const which = step.safeParse(read('step'))
  if (!which.success) throw invalid('step must be propose or evaluate')
  const isCandidate = order.data.kind === 'candidate'
  if (which.data === 'propose' && !isCandidate) throw invalid('only a candidate is proposed')
  const proposal = findBinding(read('proposal'))
  const needsProposal = which.data === 'evaluate' && isCandidate
  if (needsProposal !== (proposal !== undefined))
    throw invalid('proposal must be <artifact id>.<tree> to evaluate a candidate, and empty otherwise')
  return { step: which.data, order: order.data, proposal }
}

function invalid(detail: string): LoreleyError {
  return new LoreleyError(
    'inputs-invalid',
    `The inputs of this run are not what Loreley sends: ${detail}`,
    'Take the workflow file from workflows-templates/ again; to try your evaluator by hand, choose the kind validate and leave the rest empty.',
  )
}
