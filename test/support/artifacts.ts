import { createHash } from 'node:crypto'
import { type Embedding, encodeVector } from '../../src/core/space/embedding.ts'
import type { ProposalDocument } from '../../src/protocol/proposal.ts'
import type { ResultDocument } from '../../src/protocol/result.ts'
import { anObjectId } from './builders.ts'

/** The id git gives these bytes. */
function blobIdOf(content: string | Uint8Array): string {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export type ChangedFile = Extract<ProposalDocument['outcome'], { status: 'proposed' }>['files'][number]

/** A file of a proposal with the given bytes after the change. */
export function aChangedFile(path: string, content: string | Uint8Array = 'new\n'): ChangedFile {
  const after = {
    mode: '100644' as const,
    blob: blobIdOf(content),
    content: Buffer.from(content).toString('base64'),
  }
  return { path, after }
}

const FACTS = { schema: 1, candidate: 'demo-0007', attempt: 1, nonce: 'abcdef0123456789' } as const

const AN_EMBEDDING: Embedding = { vector: encodeVector([1, 0], 1), files: ['src/a.js'], terms: ['a'] }

/** A proposal that changes the given files. */
export function aProposal(
  files: readonly ChangedFile[] = [aChangedFile('src/a.js')],
  embedding: Embedding = AN_EMBEDDING,
): ProposalDocument {
  return {
    ...FACTS,
    kind: 'candidate',
    base: { commit: anObjectId('commit 3'), tree: anObjectId('tree 3') },
    outcome: {
      status: 'proposed',
      tree: anObjectId('tree 7'),
      files: [...files],
      summary: 'better',
      descriptor: {
        change: { files: files.length, linesAdded: 1, linesRemoved: 0 },
        embedding: { ...embedding, files: [...embedding.files], terms: [...embedding.terms] },
      },
      plan: '- one step',
      transcript: '',
      briefDigest: '0'.repeat(64),
      usage: { tokens: 0, dollars: 0, runnerMs: 5 },
    },
  }
}

/** A result of a measured candidate. */
export function aResultDocument(changes: Partial<ResultDocument> = {}): ResultDocument {
  return {
    ...FACTS,
    kind: 'candidate',
    outcome: {
      status: 'measured',
      tree: anObjectId('tree 7'),
      metrics: { score: 2 },
      samples: [
        { subject: 'root', stage: 'full', metrics: { score: 1 } },
        { subject: 'candidate', stage: 'full', metrics: { score: 2 } },
      ],
    },
    evaluatorDigest: '1'.repeat(64),
    isolation: { level: 'namespace', network: 'none' },
    runner: { os: 'Linux', arch: 'X64', image: '', cpu: 'any', cpus: 2, memoryMb: 8000, node: 'v24.0.0' },
    usage: { tokens: 0, dollars: 0, runnerMs: 120 },
    logs: [{ name: 'measure', text: 'hello' }],
    ...changes,
  }
}

/** A document as the bytes that travel. */
export function bytesOf(document: unknown): Buffer {
  return Buffer.from(JSON.stringify(document))
}
