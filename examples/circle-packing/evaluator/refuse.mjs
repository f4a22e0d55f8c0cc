// Ends an evaluation that has no figures to give.

export function refuse(error) {
  console.error(`refused: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
