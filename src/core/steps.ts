/**
 * A long computation in steps of some milliseconds. Whoever runs it may do other work in between. The result does not
 * depend on that.
 */
export type Steps<T> = Generator<undefined, T, undefined>

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}
