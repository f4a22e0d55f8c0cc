/** Twirp's error codes with their HTTP status. */
export const TWIRP_STATUS = {
  already_exists: 409,
  bad_route: 404,
  failed_precondition: 412,
  invalid_argument: 400,
  malformed: 400,
  not_found: 404,
  permission_denied: 403,
  unauthenticated: 401,
} as const

/** An answer that ends a call to the results service. */
export class TwirpError extends Error {
  readonly code: keyof typeof TWIRP_STATUS

  constructor(code: keyof typeof TWIRP_STATUS, message: string) {
    super(message)
    this.name = 'TwirpError'
    this.code = code
  }
}
