/** One entry in the `errors` list of a 422. */
export interface FieldError {
  readonly resource: string
  readonly field: string
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom'
  readonly message?: string
}

/**
 * An answer that ends a call at once. Thrown rather than returned, so that a handler reads as the happy path.
 * The server renders it as GitHub's error body, with the operation's documentation_url.
 */
export class ApiError extends Error {
  readonly status: number
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    more: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.errors = more.errors
    this.headers = more.headers ?? {}
  }
}

export function notFound(): ApiError {
  return new ApiError(404, 'Not Found')
}

/** A 422 with one entry in `errors`. */
export function validationFailed(error: FieldError): ApiError {
  return new ApiError(422, 'Validation Failed', { errors: [error] })
}
