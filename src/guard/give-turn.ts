/** How many characters one turn of the event loop may scan, about. */
const TURN_CHARACTERS = 65_536

/**
 * Lets the event loop serve others once enough was scanned: a server that checks a diff must still answer. Returns how much
 * counts for the next turn.
 */
export async function giveTurn(scanned: number): Promise<number> {
  if (scanned < TURN_CHARACTERS) return scanned
  await new Promise((resolve) => setImmediate(resolve))
  return 0
}
