import { createHash } from 'node:crypto'
import * as z from 'zod'
import { FAILURE_REASONS } from '../core/measuring/verdict.ts'
import { ARTIFACT_SCHEMA, type ArtifactReading, dispatchFacts, plainText, readArtifact } from './artifact.ts'
import { card, change, objectId, runUsage } from './shapes.ts'
import { embedding } from './space.ts'

/** Hard limits of a proposal. A campaign's own limits are tighter. */
export const PROPOSAL_LIMITS = {
  files: 200,
  changedBytes: 4 * 1024 * 1024,
  pathCharacters: 1024,
  planCharacters: 20_000,
  transcriptCharacters: 500_000,
  documentBytes: 8 * 1024 * 1024,
  documentValues: 10_000,
} as const

// A proposal has no links, submodules or folders. The guard would refuse them anyway.
const mode = z.enum(['100644', '100755'])

const path = z
  .string()
  .min(1)
  // The checks below would read a path of megabytes.
  .max(PROPOSAL_LIMITS.pathCharacters, { abort: true })
  .refine(
    (text) => !text.split('/').some((name) => ['', '.', '..'].includes(name)),
    'must stay inside the tree',
  )
  .refine((text) => !/\0|\p{Cs}/u.test(text), 'must be text without NUL')

/** One path that differs from the base; `content` is the blob's bytes in base64. */
const changedFile = z
  .strictObject({
    path,
    before: z.strictObject({ mode, blob: objectId }).optional(),
    after: z
      .strictObject({ mode, blob: objectId, content: z.base64().max(PROPOSAL_LIMITS.changedBytes * 1.4) })
      .optional(),
  })
  .refine(({ before, after }) => before !== undefined || after !== undefined, 'must have a side')
  .refine(({ after }) => after === undefined || blobId(after.content, after.blob.length) === after.blob, {
    error: 'must hold the bytes that its blob id names',
  })

const changedFiles = z
  .array(changedFile)
  .min(1)
  .max(PROPOSAL_LIMITS.files)
  .refine((files) => new Set(files.map((file) => file.path)).size === files.length, 'must name a path once')
  .refine(
    (files) =>
      files.reduce((sum, { after }) => sum + contentBytes(after?.content ?? ''), 0) <=
      PROPOSAL_LIMITS.changedBytes,
    `must not hold more than ${PROPOSAL_LIMITS.changedBytes} bytes`,
  )

const said = {
  /** Markdown by the planner, for people and for the App's check run. */
  plan: plainText(PROPOSAL_LIMITS.planCharacters),
  /** What the agent said and did, cleaned and without secrets. */
  transcript: plainText(PROPOSAL_LIMITS.transcriptCharacters),
  /** The models that planned and coded. */
  models: z.array(plainText(200)).max(8).optional(),
  /** SHA-256 of the brief the agent was given. */
  briefDigest: z.string().regex(/^[0-9a-f]{64}$/),
  usage: runUsage,
}

const proposalDocument = z.strictObject({
  schema: z.literal(ARTIFACT_SCHEMA),
  ...dispatchFacts,
  base: z.strictObject({ commit: objectId, tree: objectId }),
  outcome: z.discriminatedUnion('status', [
    z.strictObject({
      status: z.literal('proposed'),
      tree: objectId,
      files: changedFiles,
      summary: plainText(1000),
      /** What it changed from its base, counted. */
      card: card.optional(),
      /** What positions the candidate in behaviour space: line counts and, with learned axes, its embedding. */
      descriptor: z.strictObject({ change, embedding: embedding.optional() }),
      ...said,
    }),
    z.strictObject({
      status: z.literal('failed'),
      reason: z.enum(FAILURE_REASONS),
      detail: plainText(2000),
      ...said,
    }),
  ]),
})

/** `proposal.json`, the only file of the artifact `proposal`: the changed blobs, or why there are none. */
export type ProposalDocument = z.infer<typeof proposalDocument>

/** A change by an agent that passed the guard. */
export type Proposed = Extract<ProposalDocument['outcome'], { status: 'proposed' }>

/** Reads `proposal.json`. The bytes of every file are those that its blob id names. */
export function readProposal(bytes: Uint8Array): ArtifactReading<ProposalDocument> {
  return readArtifact(bytes, PROPOSAL_LIMITS, proposalDocument)
}

function contentBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}

// The length of an id tells the repository's hash: 40 digits are SHA-1, 64 are SHA-256.
function blobId(base64: string, idLength: number): string {
  const content = Buffer.from(base64, 'base64')
  return createHash(idLength === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex')
}
