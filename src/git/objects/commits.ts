import type { ObjectStore } from './object-store.ts'

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

/** Stores a commit with one author, in UTC, and returns its id. */
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

/** Who did something and when, with the commit's time zone. */
export interface Stamp {
  readonly name: string
  readonly email: string
  readonly seconds: number
  /** Such as `+0200`. */
  readonly zone: string
}

/** A commit with separate author and committer. */
export interface FullCommit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Stamp
  readonly committer: Stamp
  readonly message: string
  readonly signature: string | undefined
  /** The signed text: the commit without its signature. Undefined if unsigned. */
  readonly payload: string | undefined
}

/** Stores a commit. The message is kept byte for byte. `sign` receives the text to sign. */
export async function writeFullCommit(
  objects: ObjectStore,
  draft: Omit<FullCommit, 'id' | 'signature' | 'payload'>,
  sign?: (payload: string) => string,
): Promise<string> {
  const header = [
    `tree ${draft.tree}`,
    ...draft.parents.map((parent) => `parent ${parent}`),
    `author ${renderStamp(draft.author)}`,
    `committer ${renderStamp(draft.committer)}`,
  ].join('\n')
  const signature = sign?.(`${header}\n\n${draft.message}`)
  const signed = signature === undefined ? '' : `\ngpgsig ${signature.replaceAll('\n', '\n ')}`
  return await objects.write('commit', `${header}${signed}\n\n${draft.message}`)
}

/** Author, committer, parents, tree and message of a commit. */
export async function readFullCommit(objects: ObjectStore, id: string): Promise<FullCommit> {
  return parseCommit(id, (await objects.get(id, 'commit')).toString('utf8'))
}

function parseCommit(id: string, text: string): FullCommit {
  const split = text.indexOf('\n\n')
  // A header line that starts with a space continues the previous one, as in signatures.
  const header = text.slice(0, split).replaceAll('\n ', '\r').split('\n')
  const values = (key: string): string[] =>
    header.filter((line) => line.startsWith(`${key} `)).map((line) => line.slice(key.length + 1))
  const signature = values('gpgsig')[0]?.replaceAll('\r', '\n')
  return {
    id,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: parseStamp(values('author')[0] ?? ''),
    committer: parseStamp(values('committer')[0] ?? ''),
    message: text.slice(split + 2),
    signature,
    payload: signature === undefined ? undefined : text.replace(/^gpgsig .*\n(?: .*\n)*/m, ''),
  }
}

/** Parses a stamp of a commit or tag. */
export function parseStamp(text: string): Stamp {
  const [, name = '', email = '', seconds = '0', zone = '+0000'] =
    /^(.*?) ?<([^>]*)> (-?\d+) ([+-]\d{4})$/.exec(text) ?? []
  return { name, email, seconds: Number(seconds), zone }
}

/** Renders a stamp. Angle brackets and line feeds are removed: a name could otherwise inject headers. */
export function renderStamp(stamp: Stamp): string {
  const clean = (text: string): string => text.replace(/[<>\n\r\0]/g, '').trim()
  return `${clean(stamp.name)} <${clean(stamp.email)}> ${stamp.seconds} ${stamp.zone}`
}
