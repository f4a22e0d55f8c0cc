import type { Stamp } from '../../git/objects/commits.ts'
import { senderOf } from '../access/sender.ts'
import type { Box, Call } from '../box.ts'
import { signAsBox } from '../git/web-signature.ts'
import { ApiError } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { noreplyAddress } from '../repos/commit-view.ts'
import type { User } from '../state/documents.ts'

/** A user's name and address with the current time. */
export function stampOf(box: Box, user: User): Stamp {
  return {
    name: user.name ?? user.login,
    email: user.email ?? noreplyAddress(user),
    seconds: Math.floor(box.now().getTime() / 1000),
    zone: '+0000',
  }
}

/** Author and committer from the body. The committer falls back to the author, and both to the caller. */
export function stampsOf(call: Call): { readonly author: Stamp; readonly committer: Stamp } {
  const own = stampOf(call.box, senderOf(call))
  const author = readStamp(call.body.findObject('author'), own)
  return {
    author,
    committer: readStamp(call.body.findObject('committer'), call.body.has('author') ? author : own),
  }
}

/** A stamp from the body. Missing fields come from the fallback. */
export function readStamp(given: Fields | undefined, fallback: Stamp): Stamp {
  if (given === undefined) return fallback
  const date = given.findText('date')
  const seconds = date === undefined ? fallback.seconds : Math.floor(Date.parse(date) / 1000)
  if (Number.isNaN(seconds)) throw new ApiError(422, `Invalid request.\n\n${date} is not a valid date.`)
  // GitHub keeps the date's own offset.
  const zone = /([+-]\d{2}):?(\d{2})$/.exec(date ?? '')
  return {
    name: given.findText('name') ?? fallback.name,
    email: given.findText('email') ?? fallback.email,
    seconds,
    zone: zone === null ? '+0000' : `${zone[1]}${zone[2]}`,
  }
}

/** Signs an App's commit, unless the body names an author or committer: GitHub does not sign those. */
export function signerOf(call: Call): ((payload: string) => string) | undefined {
  const named = call.body.has('author') || call.body.has('committer')
  return call.actor.kind === 'installation' && !named ? signAsBox(call.box) : undefined
}
