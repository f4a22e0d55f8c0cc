import { readFileSync } from 'node:fs'
import { buildSchema, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { actorKey } from '../access/actor.ts'
import type { Call, Family, GraphqlPart } from '../box.ts'
import { ApiError } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { recordMalformed } from '../http/malformed.ts'
import { ok, type Reply } from '../http/reply.ts'
import { route } from '../http/route.ts'
import { createCommitOnBranch, updateRefs } from './ref-mutations.ts'
import { repositoryObject } from './repository-object.ts'

/** GraphQL, executed by graphql-js on the served part of GitHub's own schema. */
export const graphqlFamily: Family = {
  routes: [route('POST /graphql', 'anyone', answer)],
  graphql: {
    queries: {
      id: () => 'Q_root',
      repository: (call, args) => repositoryObject(call, args.text('owner'), args.text('name')),
      rateLimit,
      viewer: (call) => {
        if (call.actor.kind === 'anonymous') return null
        const { id, login, name } = call.actor.user
        return { __typename: 'User', id: `U_${id}`, databaseId: id, login, name }
      },
    },
    mutations: { updateRefs, createCommitOnBranch },
  },
}

let schema: GraphQLSchema | undefined

function getSchema(): GraphQLSchema {
  schema ??= buildSchema(readFileSync(new URL('../contract/schema.graphql', import.meta.url), 'utf8'))
  return schema
}

async function answer(call: Call): Promise<Reply> {
  if (call.actor.kind === 'anonymous') {
    throw new ApiError(401, 'This endpoint requires you to be authenticated.')
  }
  const text = call.body.findText('query')
  if (text === undefined) throw new ApiError(400, 'A query attribute must be specified and must be a string.')
  const document = tryParse(text)
  const complaints = document instanceof GraphQLError ? [document] : validate(getSchema(), document)
  recordErrors(call, complaints)
  if (document instanceof GraphQLError || complaints.length > 0)
    return ok({ errors: complaints.map((complaint) => complaint.toJSON()) })
  const result = await execute({
    schema: getSchema(),
    document,
    rootValue: rootOf(call),
    variableValues: call.body.findObject('variables')?.toJson() ?? {},
    ...operationName(call),
  })
  // Errors that no resolver threw concern the variables.
  recordErrors(call, result.errors?.filter(({ originalError }) => originalError === undefined) ?? [])
  const errors = result.errors?.map(renderError)
  return ok({ data: result.data ?? null, ...(errors === undefined ? {} : { errors }) })
}

function recordErrors({ box, actor }: Call, errors: readonly GraphQLError[]): void {
  const complaints = errors.map(({ message }) => ({ path: '', message }))
  recordMalformed(box, { request: { method: 'POST', pathname: '/graphql' }, actor, complaints })
}

function operationName(call: Call): { operationName?: string } {
  const name = call.body.findText('operationName')
  return name === undefined ? {} : { operationName: name }
}

function tryParse(text: string) {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
}

// graphql-js calls a root field's function with its arguments.
function rootOf(call: Call): Record<string, (args: unknown) => unknown> {
  const parts: readonly GraphqlPart[] = call.box.families.flatMap((family) => family.graphql ?? [])
  const resolvers = parts.flatMap((part) => [
    ...Object.entries(part.queries ?? {}),
    ...Object.entries(part.mutations ?? {}),
  ])
  return Object.fromEntries(
    resolvers.map(([name, resolve]) => [name, (args) => resolve(call, new Fields(args))]),
  )
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'STALE_DATA',
}

// GitHub adds a type to each error.
function renderError(error: GraphQLError) {
  const { message, locations, path } = error.toJSON()
  const cause = error.originalError
  if (cause !== undefined && !(cause instanceof ApiError)) throw cause
  const type = cause instanceof ApiError ? (TYPES[cause.status] ?? 'UNPROCESSABLE') : undefined
  return { ...(type === undefined ? {} : { type }), path, locations, message }
}

function rateLimit(call: Call) {
  const state = call.box.limits.read(actorKey(call.actor), 'graphql')
  return { ...state, cost: 1, nodeCount: 0, resetAt: new Date(state.reset * 1000).toISOString() }
}
