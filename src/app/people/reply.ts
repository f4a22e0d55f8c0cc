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
