import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What every act of the demo needs. */
export interface Stage {
  readonly folder: string
  /** Ctrl-C. */
  readonly stopped: AbortSignal
  say(text: string): void
  seconds(): number
}

export async function openStage({ json }: { readonly json?: true }): Promise<Stage> {
  const startedAt = performance.now()
  const abort = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort())
  return {
    folder: await mkdtemp(join(tmpdir(), 'loreley-demo-')),
    stopped: abort.signal,
    // With --json, stdout holds nothing but JSON.
    say: json ? console.error : console.log,
    seconds: () => Math.round((performance.now() - startedAt) / 100) / 10,
  }
}
