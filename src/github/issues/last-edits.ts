import * as z from 'zod'
import { expectDone, type GraphqlCall } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** Who edited something. */
export interface Editor {
  readonly login: string
  readonly isBot: boolean
}

const EDIT = 'lastEditedAt editor { __typename login }'

const ISSUE_QUERY = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { body ${EDIT} } }
}`
const NODE_QUERY = `query ($id: ID!) { node(id: $id) { ... on Comment { body ${EDIT} } } }`

// GraphQL names an App by its slug, which may also be a person's login: only the type distinguishes them.
const edit = z.object({
  lastEditedAt: z.string().nullable(),
  editor: z
    .object({ __typename: z.string(), login: z.string() })
    .transform(({ __typename, login }): Editor => ({ login, isBot: __typename !== 'User' }))
    .nullable(),
})
const edited = z.object({ body: z.string(), ...edit.shape })
const issueAnswer = z.object({ repository: z.object({ issue: edited }) })
const nodeAnswer = z.object({ node: edited.nullable() })

/** A deleted user has no permissions. */
const GHOST: Editor = { login: 'ghost', isBot: true }

/** The last edit of an issue's body: who, what and when; undefined if never edited. REST does not say. */
export async function findLastEdit(
  api: RepositoryApi,
  number: number,
): Promise<(Editor & { readonly at: string; readonly body: string }) | undefined> {
  const { repository } = await ask(api, { query: ISSUE_QUERY, variables: { number }, answer: issueAnswer })
  const { lastEditedAt: at, editor, body } = repository.issue
  return at === null ? undefined : { ...(editor ?? GHOST), at, body }
}

/**
 * The body of a comment or pull request, by node id, with its last editor; undefined when it is gone or was never edited.
 * Both come in one answer, or an edit could be attributed to somebody else.
 */
export async function findEdited(
  api: RepositoryApi,
  nodeId: string,
): Promise<{ readonly body: string; readonly editor: Editor } | undefined> {
  const { node } = await ask(api, { query: NODE_QUERY, variables: { id: nodeId }, answer: nodeAnswer })
  return node === null || node.lastEditedAt === null
    ? undefined
    : { body: node.body, editor: node.editor ?? GHOST }
}

async function ask<T>(
  api: RepositoryApi,
  call: Pick<GraphqlCall<T>, 'query' | 'variables' | 'answer'>,
): Promise<T> {
  const name = 'read the last edit'
  return expectDone(name, await api.query({ ...call, name, writes: false, priority: 'state' }))
}
