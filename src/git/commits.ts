import { readFullCommit, writeFullCommit } from './full-commits.ts'
import type { ObjectStore } from './objects.ts'

export interface Identity {
  readonly name: string
  readonly email: string
}

export interface CommitDraft {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly identity: Identity
  /** Seconds since 1970. An argument, so that the same work gives the same commit id. */
  readonly seconds: number
}

export interface CommitFacts {
  readonly tree: string
  readonly parents: readonly string[]
  readonly committerSeconds: number
  readonly message: string
}

/** Stores a commit of one author, in UTC, and gives its id. */
export async function writeCommit(objects: ObjectStore, draft: CommitDraft): Promise<string> {
  const { tree, parents, identity, seconds } = draft
  const stamp = { ...identity, seconds, zone: '+0000' }
  const message = `${draft.message.trimEnd()}\n`
  return await writeFullCommit(objects, { tree, parents, author: stamp, committer: stamp, message })
}

/** Tree, parents, date and message of a commit. */
export async function readCommit(objects: ObjectStore, id: string): Promise<CommitFacts> {
  const { tree, parents, committer, message } = await readFullCommit(objects, id)
  return { tree, parents, committerSeconds: committer.seconds, message }
}
