import type { Box } from '../../box.ts'
import { Fields } from '../../http/fields.ts'
import { isSignature, sign } from '../../http/signature.ts'
import { type Job, jobs } from '../documents.ts'

// GitHub's limit for a job.
const LIFE_SECONDS = 6 * 3600
const SCOPE = 'Actions.Results'

/** Issues a JWT for one job. It grants access to the run's artifacts and the caches of its ref. */
export function issueRuntimeToken(box: Box, job: { readonly runId: number; readonly jobId: number }): string {
  const issued = Math.floor(box.now().getTime() / 1000)
  const claims = { scp: `${SCOPE}:${job.runId}:${job.jobId}`, iat: issued, exp: issued + LIFE_SECONDS }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${sign(signed)}`
}

/** The job of a token. Undefined if the token is not ours or has expired, or the job has ended. */
export function findJobOfToken(box: Box, token: string): Job | undefined {
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (!isSignature(signature, `${head}.${claims}`)) return undefined
  // The signature proves that the claims are ours.
  const fields = new Fields(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')))
  if (fields.number('exp') * 1000 <= box.now().getTime()) return undefined
  const jobId = fields.text('scp').split(':')[2] ?? ''
  const job = jobs(box.store).find(jobId)
  return job?.status === 'completed' ? undefined : job
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
