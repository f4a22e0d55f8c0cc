import { Unzip, type UnzipFile, UnzipInflate } from 'fflate'

/** The content of an artifact's zip, or why it was rejected. */
export type ZipReading =
  | { readonly status: 'read'; readonly bytes: Uint8Array }
  | { readonly status: 'unreadable'; readonly detail: string }

// Deflate expands by at most 1,032, so one slice never becomes more than about 4 MB.
const SLICE_BYTES = 4096

/**
 * Reads the one file of an untrusted zip. Another name, a second entry or too many bytes stop it at once. Nothing is
 * written to disk, and names are only compared.
 */
export function readSingleFile(zip: Uint8Array, name: string, maxBytes: number): ZipReading {
  const chunks: Uint8Array[] = []
  let fault: string | undefined
  let entries = 0
  let length = 0
  let whole = false
  const take = (error: unknown, chunk: Uint8Array, final: boolean): void => {
    if (error !== null) fault ??= 'its content cannot be unpacked'
    length += chunk?.length ?? 0
    if (length > maxBytes) fault ??= `it unpacks to more than ${maxBytes} bytes`
    if (fault === undefined) chunks.push(chunk)
    whole = final
  }
  const open = (file: UnzipFile): void => {
    entries += 1
    if (entries > 1) fault ??= 'it has more than one entry'
    if (file.name !== name) fault ??= `its entry is not ${name}`
    if (fault !== undefined) return
    file.ondata = take
    file.start()
  }
  const unzip = new Unzip(open)
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < zip.length && fault === undefined; at += SLICE_BYTES) {
      unzip.push(zip.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= zip.length)
    }
  } catch {
    // The parser's own messages help nobody.
    fault ??= 'it is not a zip'
  }
  if (fault === undefined && !whole) fault = entries === 0 ? 'it is not a zip' : 'it is cut off'
  return fault === undefined
    ? { status: 'read', bytes: Buffer.concat(chunks) }
    : { status: 'unreadable', detail: fault }
}
