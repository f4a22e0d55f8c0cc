import * as z from 'zod'
import { candidateId } from '../core/candidate/candidate-id.ts'
import { objectId } from './shapes.ts'

/** What one run of the workflow does. */
export const RUN_KINDS = ['candidate', 'baseline', 'confirm', 'validate'] as const

const CANDIDATE_ID = /^([a-z0-9-]{1,40})-([0-9]{4,9})$/

const orderFields = {
  candidate: z.string().regex(CANDIDATE_ID, 'must be a candidate id such as speed-0042'),
  state: objectId,
  root: objectId,
  base: objectId,
  nonce: z.string().regex(/^[a-z0-9-]{8,64}$/, 'must be 8 to 64 characters of a-z, 0-9 and "-"'),
}

/**
 * The inputs of a dispatched run: ids and SHAs only, so that nothing in them can be text of a stranger. `state`
 * is the commit of the state branch that holds the job; `base` is what the candidate is built on, or for the
 * other kinds the commit that is measured, in a duel interleaved with `rival`. A maintainer may start `validate` by hand and leave all else empty.
 */
export const dispatchInputs = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(['candidate', 'baseline', 'confirm']),
    ...orderFields,
    rival: objectId.optional(),
  }),
  z.strictObject({
    kind: z.literal('validate'),
    candidate: orderFields.candidate.or(z.literal('')),
    state: objectId.or(z.literal('')),
    root: objectId.or(z.literal('')),
    base: objectId.or(z.literal('')),
    nonce: orderFields.nonce.or(z.literal('')),
  }),
])
export type DispatchInputs = z.infer<typeof dispatchInputs>

/** What identifies a run. */
export type RunName = Pick<DispatchInputs, 'kind' | 'candidate' | 'nonce'>

/** The same, each by itself. */
export const runNameFields = {
  kind: z.enum(RUN_KINDS),
  candidate: orderFields.candidate,
  nonce: orderFields.nonce,
}

/** Campaign and ordinal of a candidate id; undefined when it is none. */
export function findCandidate(
  id: string,
): { readonly campaign: string; readonly ordinal: number } | undefined {
  const [, campaign, digits] = CANDIDATE_ID.exec(id) ?? []
  if (campaign === undefined) return undefined
  const ordinal = Number(digits)
  // `a-00042` would be a second name for `a-0042`.
  return candidateId(campaign, ordinal) === id ? { campaign, ordinal } : undefined
}

/** The name of a run. A dispatch whose answer was lost is found by it. */
export function renderRunName({ kind, candidate, nonce }: RunName): string {
  return `loreley ${kind} ${candidate} ${nonce}`.trimEnd()
}

/** The proposal that an evaluation measured, from GitHub's own records, which a candidate cannot change. */
export interface ProposalBinding {
  readonly artifactId: number
  readonly tree: string
}

const BINDING = /^([1-9][0-9]{0,15})\.([0-9a-f]{40}|[0-9a-f]{64})$/
const JOB_NAME_START = 'evaluate '

/** Reads `<artifact id>.<tree>`. */
export function findBinding(text: string): ProposalBinding | undefined {
  const [, artifactId, tree] = BINDING.exec(text) ?? []
  return tree === undefined ? undefined : { artifactId: Number(artifactId), tree }
}

/** Whether a job is the one that measures. */
export function isEvaluation(name: string): boolean {
  return name.trim() === JOB_NAME_START.trim() || name.startsWith(JOB_NAME_START)
}

/** The binding in the name of an `evaluate` job; undefined for any other job, and for kinds without a proposal. */
export function findBindingInJobName(name: string): ProposalBinding | undefined {
  return name.startsWith(JOB_NAME_START) ? findBinding(name.slice(JOB_NAME_START.length)) : undefined
}
