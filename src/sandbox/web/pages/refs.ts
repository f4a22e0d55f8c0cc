import { notFound } from '../../http/errors.ts'
import { path } from '../html.ts'
import { repoApi, type Visit } from '../visit.ts'

/** Splits `feature/x/src/a.ts` into the ref `feature/x` and the path; branches go before tags, tags before SHAs. */
export async function splitRef(visit: Visit, rest: string): Promise<{ ref: string; file: string }> {
  const [first = ''] = rest.split('/')
  for (const kind of ['heads', 'tags']) {
    const found = await visit.api.findList(
      `${repoApi(visit)}${path`/git/matching-refs/${`${kind}/${first}`}`}`,
    )
    const names = found.map((one) => one.text('ref').slice(`refs/${kind}/`.length))
    const ref = names.filter((name) => rest === name || rest.startsWith(`${name}/`)).sort(byLength)[0]
    if (ref !== undefined) return { ref, file: rest.slice(ref.length + 1) }
  }
  if (!/^[0-9a-f]{7,40}$|^HEAD$/.test(first)) throw notFound()
  return { ref: first, file: rest.slice(first.length + 1) }
}

function byLength(a: string, b: string): number {
  return b.length - a.length
}
