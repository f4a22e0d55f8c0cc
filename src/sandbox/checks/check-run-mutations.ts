import { assertAccess } from '../access/permissions.ts'
import type { Call, Family, RepoCall } from '../box.ts'
import { findNumberInNodeId, nodeId } from '../format.ts'
import { ApiError } from '../http/errors.ts'
import { Fields } from '../http/fields.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { repositories } from '../state/documents.ts'
import { addRun, changeRun, WRITE_CHECKS } from './check-run-routes.ts'
import { type CheckRun, checkRuns } from './checks.ts'

/** Check runs by GraphQL, where one request can write several. */
export const graphqlChecksFamily: Family = {
  routes: [],
  graphql: {
    mutations: {
      createCheckRun: (call, args) => write(call, args, addRun),
      updateCheckRun: (call, args) =>
        write(call, args, async (inRepo, input) => await changeRun(inRepo, runOf(inRepo, input))),
    },
  },
}

async function write(
  call: Call,
  args: Fields,
  work: (call: RepoCall, input: Fields) => Promise<CheckRun>,
): Promise<unknown> {
  const input = args.findObject('input') ?? new Fields({})
  const id = input.text('repositoryId')
  const repo = repositories(call.box.store).find(findNumberInNodeId('R', id) ?? '')
  if (repo === undefined) throw unresolved(id)
  assertAccess(call.actor, repo, { needs: WRITE_CHECKS }, true)
  const git = await call.box.git.get(repo.id)
  const inRepo: RepoCall = { ...call, repo, git, body: new Fields(toRest(input.toJson())) }
  const { id: runId, name, externalId } = await work(inRepo, input)
  const url = `${repoHtmlUrl(call.box, repo)}/runs/${runId}`
  const checkRun = { __typename: 'CheckRun', id: nodeId('CR', runId), name, externalId, url }
  return { clientMutationId: input.findText('clientMutationId') ?? null, checkRun }
}

function runOf({ box, repo }: RepoCall, input: Fields): CheckRun {
  const id = input.text('checkRunId')
  const found = checkRuns(box.store).find(findNumberInNodeId('CR', id) ?? '')
  if (found?.repositoryId !== repo.id) throw unresolved(id)
  return found
}

function unresolved(id: string): ApiError {
  return new ApiError(404, `Could not resolve to a node with the global id of '${id}'`)
}

const CHOICES = new Set(['status', 'conclusion', 'annotationLevel'])

/** Converts GraphQL input to a REST body: snake-case names, lower-case enums, and flat annotation locations. */
function toRest(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toRest)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      if (name === 'location') return Object.entries(Object(toRest(each)))
      const isChoice = CHOICES.has(name) && typeof each === 'string'
      return [[snakeCase(name), isChoice ? each.toLowerCase() : toRest(each)]]
    }),
  )
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
