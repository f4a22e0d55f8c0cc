import type { ListedEntry } from '../../git/listing.ts'
import { readFullCommit } from '../../git/objects/commits.ts'
import type { RepoCall } from '../box.ts'
import { encodeBase64 } from '../http/base64.ts'
import { gitCommitView } from './commit-view.ts'
import { repoApiUrl, repoHtmlUrl } from './repository-view.ts'

interface ContentLocation {
  readonly path: string
  readonly ref: string
}

// Above this size the API omits the content.
const MAX_INLINE_BYTES = 1024 * 1024

const KINDS: Readonly<Record<string, string>> = { tree: 'dir', commit: 'submodule', blob: 'file' }

/** A file with its content. */
export function contentView(
  call: RepoCall,
  location: ContentLocation,
  blob: { readonly id: string; readonly bytes: Buffer },
) {
  const inline = blob.bytes.length <= MAX_INLINE_BYTES
  return {
    ...links(call, location, { kind: 'file', id: blob.id }),
    size: blob.bytes.length,
    content: inline ? encodeBase64(blob.bytes) : '',
    encoding: inline ? 'base64' : 'none',
  }
}

/** One entry of a folder. */
export function folderEntryView(call: RepoCall, location: ContentLocation, entry: ListedEntry) {
  const kind = entry.mode === '120000' ? 'symlink' : (KINDS[entry.type] ?? 'file')
  return { ...links(call, location, { kind, id: entry.id }), size: entry.size ?? 0 }
}

/** The answer to writing a file. */
export async function contentWriteView(
  call: RepoCall,
  written: {
    readonly path: string
    readonly commit: string
    readonly branch: string
    readonly blob: { readonly id: string; readonly bytes: Buffer } | undefined
  },
) {
  const commit = await readFullCommit(call.git.objects, written.commit)
  const { blob, path, branch } = written
  const location = { path, ref: branch }
  return {
    content:
      blob === undefined
        ? null
        : { ...links(call, location, { kind: 'file', id: blob.id }), size: blob.bytes.length },
    commit: gitCommitView(call.box, call.repo, commit),
  }
}

function links(
  call: RepoCall,
  { path, ref }: ContentLocation,
  object: { readonly kind: string; readonly id: string },
) {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const api = repoApiUrl(call.box, call.repo)
  const self = `${api}/contents/${encoded}?ref=${encodeURIComponent(ref)}`
  const isFolder = object.kind === 'dir'
  const git = `${api}/git/${isFolder ? 'trees' : 'blobs'}/${object.id}`
  const html = `${repoHtmlUrl(call.box, call.repo)}/${isFolder ? 'tree' : 'blob'}/${ref}/${encoded}`
  return {
    type: object.kind,
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    sha: object.id,
    url: self,
    git_url: git,
    html_url: html,
    download_url: isFolder ? null : `${repoHtmlUrl(call.box, call.repo)}/raw/${ref}/${encoded}`,
    _links: { self, git, html },
  }
}
