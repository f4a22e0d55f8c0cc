import * as core from '@actions/core'

/** Runs a stand-in. An exception becomes the step's error. */
export function runProgram(work: () => Promise<void>): void {
  work().catch((error: unknown) => core.setFailed(error instanceof Error ? error.message : String(error)))
}

/** An input, or undefined if it is missing or empty. */
export function findInput(name: string): string | undefined {
  return core.getInput(name) || undefined
}

/** Throws when an input asks for something that the stand-in does not support. */
export function refuseInput(name: string, harmless: readonly string[] = []): void {
  const value = findInput(name)
  if (value === undefined || harmless.includes(value)) return
  throw new Error(
    `The sandbox's stand-in for this action does not support "${name}: ${value}". ` +
      'To use it, map the action to a folder with the real one.',
  )
}
