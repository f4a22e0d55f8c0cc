import * as z from 'zod'
import { LoreleyError } from '../errors.ts'
import {
  type DispatchInputs,
  dispatchInputs,
  findBinding,
  type ProposalBinding,
  type RunName,
  runNameFields,
} from './dispatch.ts'

/** What a step of the workflow asks of the action. */
export interface ActionInputs {
  readonly step: 'propose' | 'evaluate'
  readonly dispatch: DispatchInputs
  /** What `evaluate` must find in the downloaded proposal; undefined for kinds without one. */
  readonly proposal: ProposalBinding | undefined
  readonly earlier: EarlierSteps
}

/** The state of the job when our step started. */
export interface EarlierSteps {
  readonly status: 'success' | 'failure' | 'cancelled'
  /** Failed steps, by their ids in our workflow. The maintainer's own steps have none. */
  readonly failed: readonly string[]
}

/** The run that the inputs identify, if they do so in Loreley's own form. Even a refusal can then name its run. */
export function nameRun(read: (name: string) => string): RunName {
  const { kind, candidate, nonce } = runNameFields
  return {
    kind: kind.safeParse(read('kind')).data ?? 'validate',
    candidate: candidate.safeParse(read('candidate')).data ?? '',
    nonce: nonce.safeParse(read('nonce')).data ?? '',
  }
}

const step = z.enum(['propose', 'evaluate'])

/** Validates the inputs by pattern. Nothing uses or prints them before. */
export function parseActionInputs(read: (name: string) => string): ActionInputs {
  const given = Object.fromEntries(
    ['kind', 'candidate', 'state', 'root', 'base', 'nonce'].map((name) => [name, read(name)]),
  )
  const rival = read('rival')
  const dispatch = dispatchInputs.safeParse({ ...given, ...(rival !== '' && { rival }) })
  if (!dispatch.success) throw invalid(z.prettifyError(dispatch.error).replaceAll(/\s*\n\s*/g, ' '))
  const which = step.safeParse(read('step'))
  if (!which.success) throw invalid('step must be propose or evaluate')
  const isCandidate = dispatch.data.kind === 'candidate'
  if (which.data === 'propose' && !isCandidate) throw invalid('only a candidate is proposed')
  const proposal = findBinding(read('proposal'))
  const needsProposal = which.data === 'evaluate' && isCandidate
  if (needsProposal !== (proposal !== undefined))
    throw invalid('proposal must be <artifact id>.<tree> to evaluate a candidate, and empty otherwise')
  return { step: which.data, dispatch: dispatch.data, proposal, earlier: parseEarlier(read('earlier')) }
}

const EARLIER = /^([a-z]{1,20})(?: (success|failure|cancelled|skipped))?$/

// Such as `job failure, root success, base failure`. A workflow that was copied before there was this input gives
// nothing, and starts the step after success only.
function parseEarlier(text: string): EarlierSteps {
  if (text === '') return { status: 'success', failed: [] }
  const ends = new Map(
    text.split(',').map((part) => {
      const [, name, end = ''] = EARLIER.exec(part.trim()) ?? []
      if (name === undefined) throw invalid('earlier must tell how each step ended')
      return [name, end] as const
    }),
  )
  const failed = [...ends.keys()].filter((name) => name !== 'job' && ends.get(name) === 'failure')
  const job = ends.get('job')
  return { status: job === 'failure' || job === 'cancelled' ? job : 'success', failed }
}

function invalid(detail: string): LoreleyError {
  return new LoreleyError(
    'inputs-invalid',
    `The inputs of this run are not what Loreley sends: ${detail}`,
    'Take the workflow file from workflows-templates/ again; to try your evaluator by hand, choose the kind validate and leave the rest empty.',
  )
}
