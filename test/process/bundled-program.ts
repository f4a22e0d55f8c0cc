import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * A program of one file that does `work` with its order: a process of another user may have no way into the folder that
 * we are in.
 */
export async function bundleProgram(imports: string, work: string): Promise<string> {
  const contents = `${imports}
let text = ''
for await (const chunk of process.stdin) text += chunk
const order = JSON.parse(text)
console.log(JSON.stringify(await (${work})(order)))
`
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    ...{ bundle: true, write: false, platform: 'node', format: 'esm', target: 'node20', logLevel: 'silent' },
  })
  return outputFiles[0]?.text ?? ''
}

/** Runs such a program as somebody, or through another program, and gives what it has found. */
export async function runProgram(
  program: string,
  order: object,
  { uid, through = [] }: { readonly uid?: number; readonly through?: readonly string[] } = {},
) {
  const argv = [...through, process.execPath, '--input-type=module', '-e', program]
  const who = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(argv[0] ?? '', argv.slice(1), { cwd: '/', stdio: 'pipe', ...who })
  // The program is on the command line, the order on stdin.
  child.stdin.end(JSON.stringify(order))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}
