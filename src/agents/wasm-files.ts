import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

const unpack = promisify(brotliDecompress)

/** The bytes of a WebAssembly file: packed beside the bundle in the action, from the installed package elsewhere. */
export async function readWasm(packagePath: string): Promise<Uint8Array> {
  const name = packagePath.slice(packagePath.lastIndexOf('/') + 1)
  const packed = await readFile(fileURLToPath(new URL(`wasm/${name}.br`, import.meta.url))).catch(
    () => undefined,
  )
  if (packed !== undefined) return await unpack(packed)
  return await readFile(createRequire(import.meta.url).resolve(packagePath))
}
