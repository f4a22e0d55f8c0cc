import { LoreleyError } from '../../errors.ts'
import type { LogPort } from '../ports.ts'

/** The reply to the person who asked. */
export interface Reply {
  readonly status: 'done' | 'refused'
  readonly text: string
}

export function done(text: string): Reply {
  return { status: 'done', text }
}

export function refused(text: string): Reply {
  return { status: 'refused', text }
}

/** The reply to a command. People get one even if we or GitHub fail. */
export async function replyTo(
  { log }: LogPort,
  facts: Readonly<Record<string, unknown>>,
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    log('error', 'a command failed', { ...facts, error })
    return refused(explainFault(error))
  }
}

function explainFault(error: unknown): string {
  return error instanceof LoreleyError
    ? `That did not work. ${error.message} ${error.hint}`
    : 'That did not work. The log of the app says why. Try again later.'
}
