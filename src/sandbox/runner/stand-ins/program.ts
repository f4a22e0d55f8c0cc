import * as core from '@actions/core'

/** Runs a stand-in's work; a fault becomes the step's error. */
export function runProgram(work: () => Promise<void>): void {
  work().catch((error: unknown) => core.setFailed(error instanceof Error ? error.message : String(error)))
}

/** An input, or undefined when it was left out or is empty. */
export function findInput(name: string): string | undefined {
  return core.getInput(name) || undefined
}

/** Ends the step when an input asks for what the stand-in cannot do. */
export function refuseInput(name: string, harmless: readonly string[] = []): void {
  const value = findInput(name)
  if (value === undefined || harmless.includes(value)) return
  throw new Error(
    `The sandbox's stand-in for this action has no "${name}: ${value}". ` +
      'Map the action to a folder with the real one to use it.',
  )
}
