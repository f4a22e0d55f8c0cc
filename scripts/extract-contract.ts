// Makes src/sandbox/contract/ out of GitHub's own descriptions. They weigh 420 MB, so they are no dependency:
//   mkdir /tmp/descriptions && cd /tmp/descriptions && npm init -y
//   npm i @octokit/openapi@23.0.2 @octokit/openapi-webhooks@12.1.0 @octokit/graphql-schema@15.26.1
//   node --import tsx scripts/extract-contract.ts /tmp/descriptions
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { EVENTS, GRAPHQL_FIELDS, OPERATIONS } from './contract-selection.ts'
import { pruneGraphql } from './prune-graphql.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const DROPPED = new Set([
  'description',
  'title',
  'example',
  'examples',
  'externalDocs',
  'discriminator',
  'x-github',
  'x-octokit',
  'x-multi-segment',
  'deprecated',
  'summary',
  'x-github-breaking-changes',
  'readOnly',
  'default',
  'nullable',
])

const source = process.argv[2] ?? '.'
const target = join(import.meta.dirname, '../src/sandbox/contract')
const packageFile = (name: string): string => join(source, 'node_modules/@octokit', name)

mkdirSync(target, { recursive: true })
writeJson(
  'operations.json.gz',
  extractOperations(readJson(packageFile('openapi/generated/api.github.com.json'))),
)
writeJson(
  'webhooks.json.gz',
  extractWebhooks(readJson(packageFile('openapi-webhooks/generated/api.github.com.json'))),
)
writeFileSync(
  join(target, 'schema.graphql'),
  pruneGraphql(readFileSync(packageFile('graphql-schema/schema.graphql'), 'utf8'), GRAPHQL_FIELDS),
)

function extractOperations(description: JsonObject): JsonObject {
  const operations: JsonObject = {}
  for (const [path, methods] of Object.entries(object(description.paths))) {
    for (const [method, value] of Object.entries(object(methods))) {
      const operation = object(value)
      if (!OPERATIONS.includes(String(operation.operationId))) continue
      operations[`${method.toUpperCase()} ${path}`] = oneOperation(description, operation)
    }
  }
  const found = Object.values(operations).map((operation) => object(operation).id)
  const missing = OPERATIONS.filter((id) => !found.includes(id))
  if (missing.length > 0) throw new Error(`not described: ${missing.join(', ')}`)
  return { operations, schemas: reachableSchemas(description, operations) }
}

function oneOperation(description: JsonObject, operation: JsonObject): JsonObject {
  const parameters = array(operation.parameters).map((parameter) => object(follow(description, parameter)))
  const place = (where: string): JsonObject => {
    const here = parameters.filter((parameter) => parameter.in === where)
    return {
      type: 'object',
      properties: Object.fromEntries(here.map((p) => [String(p.name), plain(p.schema ?? {})])),
      required: here.filter((p) => p.required === true).map((p) => p.name ?? ''),
    }
  }
  const body = object(operation.requestBody ?? {})
  const responses = Object.entries(object(operation.responses)).map(([status, response]) => [
    status,
    jsonSchema(object(follow(description, response))),
  ])
  return {
    id: operation.operationId ?? '',
    docs: String(object(operation.externalDocs ?? {}).url ?? '').replace(/enterprise-server@[^/]+\//, ''),
    path: place('path'),
    query: place('query'),
    body: jsonSchema(body),
    bodyRequired: body.required === true,
    responses: Object.fromEntries(responses),
  }
}

/** The schema of the JSON form of a body; null when it has none. */
function jsonSchema(holder: JsonObject): Json {
  const content = object(holder.content ?? {})
  const json = Object.entries(content).find(([type]) => /[/+]json$/.test(type))
  return json === undefined ? null : plain(object(json[1]).schema ?? {})
}

function extractWebhooks(description: JsonObject): JsonObject {
  const prefixes = EVENTS.map((event) => event.replaceAll('_', '-'))
  const webhooks: JsonObject = {}
  for (const [name, value] of Object.entries(object(description.webhooks))) {
    const event = prefixes.find((prefix) => name === prefix || eventOf(object(value)) === prefix)
    if (event === undefined) continue
    webhooks[name] = jsonSchema(object(object(object(value).post).requestBody))
  }
  return { webhooks, schemas: reachableSchemas(description, webhooks) }
}

// `pull-request-review-submitted` is an event `pull_request_review`, not `pull_request`: operationId is `event/action`.
function eventOf(webhook: JsonObject): string {
  return String(object(webhook.post).operationId).split('/')[0] ?? ''
}

function reachableSchemas(description: JsonObject, roots: Json): JsonObject {
  const all = object(object(description.components).schemas)
  const found: JsonObject = {}
  const visit = (value: Json): void => {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) {
      for (const item of value) visit(item)
      return
    }
    const name = typeof value.$ref === 'string' ? value.$ref.replace('github#/schemas/', '') : undefined
    if (name !== undefined && found[name] === undefined) {
      found[name] = plain(all[name] ?? {})
      visit(found[name])
    }
    for (const item of Object.values(value)) visit(item)
  }
  visit(roots)
  return found
}

/** JSON Schema as ajv reads it: no prose, `nullable` spelt out, references to our own place for schemas. */
function plain(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(plain)
  if (schema === null || typeof schema !== 'object') return schema
  const kept: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key)) continue
    // Under these keys the names are property names, not words of the schema language.
    if (key === 'properties' || key === 'patternProperties') {
      kept[key] = Object.fromEntries(
        Object.entries(object(value)).map(([name, inner]) => [name, plain(inner)]),
      )
    } else if (key === '$ref') kept[key] = String(value).replace('#/components/schemas/', 'github#/schemas/')
    else kept[key] = key === 'enum' || key === 'required' || key === 'const' ? value : plain(value)
  }
  return schema.nullable === true ? orNull(kept) : kept
}

function orNull(schema: JsonObject): Json {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const withNull = { ...schema, type: [schema.type, 'null'] }
  return Array.isArray(schema.enum) ? { ...withNull, enum: [...schema.enum, null] } : withNull
}

function follow(description: JsonObject, value: Json): Json {
  const reference = object(value).$ref
  if (typeof reference !== 'string') return value
  return reference
    .slice(2)
    .split('/')
    .reduce<Json>((at, key) => object(at)[key] ?? {}, description)
}

function object(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

function array(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

function readJson(file: string): JsonObject {
  return object(JSON.parse(readFileSync(file, 'utf8')))
}

function writeJson(name: string, value: JsonObject): void {
  const text = JSON.stringify(value)
  const packed = gzipSync(text, { level: 9 })
  writeFileSync(join(target, name), packed)
  process.stdout.write(`${name}: ${text.length} bytes, ${packed.length} packed\n`)
}
