import type { Box } from '../../box.ts'
import { Fields } from '../../http/fields.ts'
import { isSignature, sign } from '../../http/signature.ts'
import { type Job, jobs } from '../documents.ts'

// As long as a job may take on GitHub.
const LIFE_SECONDS = 6 * 3600
const SCOPE = 'Actions.Results'

/** A JWT that lets its bearer work on the artifacts of one run and the caches of its ref, in the name of one job. */
export function issueRuntimeToken(box: Box, job: { readonly runId: number; readonly jobId: number }): string {
  const issued = Math.floor(box.now().getTime() / 1000)
  const claims = { scp: `${SCOPE}:${job.runId}:${job.jobId}`, iat: issued, exp: issued + LIFE_SECONDS }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${sign(signed)}`
}

/** The job that a token was made for; undefined when the token is not ours, has expired, or the job has ended. */
export function findJobOfToken(box: Box, token: string): Job | undefined {
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (!isSignature(signature, `${head}.${claims}`)) return undefined
  // The signature is ours, and so is what it covers.
  const fields = new Fields(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')))
  if (fields.number('exp') * 1000 <= box.now().getTime()) return undefined
  const jobId = fields.text('scp').split(':')[2] ?? ''
  const job = jobs(box.store).find(jobId)
  return job?.status === 'completed' ? undefined : job
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
