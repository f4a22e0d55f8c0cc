import * as z from 'zod'
import { expectDone, type GraphqlCall } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** Whoever edited something. */
export interface Editor {
  readonly login: string
  readonly isBot: boolean
}

const EDIT = 'lastEditedAt editor { __typename login }'

const ISSUE_QUERY = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issue(number: $number) { body ${EDIT} } }
}`
const NODE_QUERY = `query ($id: ID!) { node(id: $id) { ... on Comment { body ${EDIT} } } }`

// GraphQL calls an App by the name of its page, which a person may bear too: only the type tells them apart.
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

/** Whoever is gone may do nothing. */
const GHOST: Editor = { login: 'ghost', isBot: true }

/** Who gave an issue another body last, which, and when; undefined when nobody did. REST does not tell. */
export async function findLastEdit(
  api: RepositoryApi,
  number: number,
): Promise<(Editor & { readonly at: string; readonly body: string }) | undefined> {
  const { repository } = await ask(api, { query: ISSUE_QUERY, variables: { number }, answer: issueAnswer })
  const { lastEditedAt: at, editor, body } = repository.issue
  return at === null ? undefined : { ...(editor ?? GHOST), at, body }
}

/**
 * The body of a comment or pull request, by its node id, with whoever gave it that; undefined when it is gone or nobody
 * has edited it. Both in one answer: else somebody's edit could be taken for another's.
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
