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

/** Stores a commit and gives its id. */
export async function writeCommit(objects: ObjectStore, draft: CommitDraft): Promise<string> {
  const stamp = `${draft.identity.name} <${draft.identity.email}> ${draft.seconds} +0000`
  const header = [
    `tree ${draft.tree}`,
    ...draft.parents.map((parent) => `parent ${parent}`),
    `author ${stamp}`,
    `committer ${stamp}`,
  ]
  return await objects.write('commit', `${header.join('\n')}\n\n${draft.message.trimEnd()}\n`)
}

/** Tree, parents, date and message of a commit. */
export async function readCommit(objects: ObjectStore, id: string): Promise<CommitFacts> {
  const text = (await objects.get(id, 'commit')).toString('utf8')
  const split = text.indexOf('\n\n')
  const header = text.slice(0, split).split('\n')
  const values = (key: string): string[] =>
    header.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1))
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    committerSeconds: Number(/ (\d+) [+-]\d{4}$/.exec(values('committer')[0] ?? '')?.[1] ?? 0),
    message: text.slice(split + 2),
  }
}
