import { parseStamp, renderStamp, type Stamp } from './commits.ts'
import type { ObjectStore } from './object-store.ts'

/** An annotated tag. */
export interface Tag {
  readonly name: string
  readonly object: string
  readonly type: string
  readonly tagger: Stamp
  readonly message: string
}

/** Stores an annotated tag; no ref points at it yet. */
export async function writeTag(objects: ObjectStore, tag: Tag): Promise<string> {
  const header = [
    `object ${tag.object}`,
    `type ${tag.type}`,
    `tag ${tag.name}`,
    `tagger ${renderStamp(tag.tagger)}`,
  ]
  return await objects.write('tag', `${header.join('\n')}\n\n${tag.message}`)
}

export async function readTag(objects: ObjectStore, id: string): Promise<Tag> {
  return parseTag((await objects.get(id, 'tag')).toString('utf8'))
}

function parseTag(text: string): Tag {
  const split = text.indexOf('\n\n')
  const lines = text.slice(0, split).split('\n')
  const value = (key: string): string =>
    lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1) ?? ''
  return {
    name: value('tag'),
    object: value('object'),
    type: value('type'),
    tagger: parseStamp(value('tagger')),
    message: text.slice(split + 2),
  }
}
