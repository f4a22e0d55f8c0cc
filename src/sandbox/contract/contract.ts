import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { isKnownInconsistency } from './inconsistencies.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** One REST operation as GitHub describes it. */
export interface Operation {
  readonly id: string
  readonly docs: string
  readonly path: JsonSchema
  readonly query: JsonSchema
  readonly body: JsonSchema | null
  readonly bodyRequired: boolean
  readonly responses: Readonly<Record<string, JsonSchema | null>>
}

interface Fixture<Kind extends string, Value> {
  readonly parts: Readonly<Record<Kind, Readonly<Record<string, Value>>>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** What is wrong with a value, in the words of a 422 answer. */
export type Complaint = { readonly path: string; readonly message: string }

export type { Contract }

/** GitHub's published API descriptions of what the sandbox serves. Validators are compiled on first use. */
class Contract {
  readonly operations: Readonly<Record<string, Operation>>
  readonly webhooks: Readonly<Record<string, JsonSchema>>
  readonly #rest: Validators
  readonly #strings: Validators
  readonly #hooks: Validators

  constructor() {
    const rest = loadFixture<'operations', Operation>('operations.json.gz')
    const hooks = loadFixture<'webhooks', JsonSchema>('webhooks.json.gz')
    this.operations = rest.parts.operations
    this.webhooks = hooks.parts.webhooks
    this.#rest = new Validators(rest.schemas, false)
    this.#strings = new Validators(rest.schemas, true)
    this.#hooks = new Validators(hooks.schemas, false)
  }

  /** Checks path or query parameters, and converts text to the numbers and booleans that are described. */
  checkParameters(
    operation: Operation,
    part: 'path' | 'query',
    values: Record<string, unknown>,
  ): Complaint[] {
    const name = `${operation.id} ${part}`
    return this.#strings
      .check(name, operation[part], values)
      .filter((complaint) => !isKnownInconsistency(name, complaint.path, complaint.message))
  }

  checkBody(operation: Operation, body: unknown): Complaint[] {
    if (operation.body === null) return []
    if (body === undefined)
      return operation.bodyRequired ? [{ path: '', message: 'A body is required.' }] : []
    const name = `${operation.id} body`
    return this.#rest
      .check(name, operation.body, body)
      .filter((complaint) => !isKnownInconsistency(name, complaint.path, complaint.message))
  }

  /** Finds names that GitHub does not describe. GitHub ignores them silently, so a typo would go unnoticed. */
  findUnknown(operation: Operation, part: 'query' | 'body', values: unknown): string[] {
    const schema = operation[part]
    const known = schema?.properties
    if (typeof known !== 'object' || known === null || schema?.additionalProperties !== undefined) return []
    const names = Array.isArray(values) ? [] : Object.keys(Object(values))
    return names.filter((name) => !(name in known))
  }

  /** Finds deviations of an answer from its description. */
  checkResponse(operation: Operation, status: number, body: unknown): string[] {
    const described = operation.responses[status]
    if (described === undefined && status < 400) return [`status ${status} is not described`]
    // Many errors are not described, or are described without a body.
    if ((described ?? null) === null && status >= 400) return checkPlainError(body)
    if (described === undefined || described === null)
      return body === undefined ? [] : ['a body is not described']
    const name = `${operation.id} ${status}`
    return this.#rest
      .check(name, described, body)
      .filter((complaint) => !isKnownInconsistency(name, complaint.path, complaint.message))
      .map(renderComplaint)
  }

  /** Finds deviations of a webhook's payload. `event` is GitHub's name, such as `pull_request`. */
  checkWebhook(event: string, payload: Readonly<Record<string, unknown>>): string[] {
    const plain = event.replaceAll('_', '-')
    const action = typeof payload.action === 'string' ? payload.action.replaceAll('_', '-') : undefined
    // A repository_dispatch carries a custom action. GitHub describes only one sample.
    const name =
      event === 'repository_dispatch'
        ? 'repository-dispatch-sample.collected'
        : action
          ? `${plain}-${action}`
          : plain
    const described = this.webhooks[name] ?? this.webhooks[plain]
    if (described === undefined) return [`the event ${name} is not described`]
    return this.#hooks
      .check(name, described, payload)
      .filter((complaint) => !isKnownInconsistency(name, complaint.path, complaint.message))
      .map(renderComplaint)
  }
}

let loaded: Contract | undefined

/** The contract, shared by all sandboxes of this process because compiling validators takes a while. */
export function getContract(): Contract {
  loaded ??= new Contract()
  return loaded
}

function checkPlainError(body: unknown): string[] {
  const isError =
    typeof body === 'object' && body !== null && 'message' in body && 'documentation_url' in body
  return isError ? [] : ['an error must have message and documentation_url']
}

function renderComplaint(complaint: Complaint): string {
  return `${complaint.path || '/'} ${complaint.message}`
}

class Validators {
  readonly #ajv: Ajv
  readonly #made = new Map<string, ValidateFunction>()

  constructor(schemas: Readonly<Record<string, JsonSchema>>, coerceTypes: boolean) {
    // Unoptimized validators are made in half the time, and most are used only a few times.
    const code = { optimize: false }
    this.#ajv = new Ajv({
      strict: false,
      allErrors: true,
      coerceTypes,
      validateSchema: false,
      logger: false,
      code,
    })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'github', schemas })
  }

  check(name: string, schema: JsonSchema, value: unknown): Complaint[] {
    const validate = this.#made.get(name) ?? this.#ajv.compile(schema)
    this.#made.set(name, validate)
    return validate(value) ? [] : (validate.errors ?? []).map(readError)
  }
}

function readError(error: ErrorObject): Complaint {
  const allowed: unknown = error.params.allowedValues
  const detail = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''
  return { path: error.instancePath, message: `${error.message ?? error.keyword}${detail}` }
}

function loadFixture<Kind extends string, Value>(name: string): Fixture<Kind, Value> {
  const text = gunzipSync(readFileSync(new URL(name, import.meta.url))).toString('utf8')
  return parseFixture<Kind, Value>(text)
}

function parseFixture<Kind extends string, Value>(text: string): Fixture<Kind, Value> {
  const { schemas, ...parts } = JSON.parse(text)
  return { schemas, parts } as Fixture<Kind, Value>
}
