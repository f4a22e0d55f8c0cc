import { describe, expect, it } from 'vitest'
import { REPO, startTestBox } from './support.ts'

const UPDATE = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`
const LOOK = `query ($owner: String!, $repo: String!) {
  repository(owner: $owner, name: $repo) {
    id nameWithOwner owner { login }
    defaultBranchRef { name target { oid ... on Commit { messageHeadline tree { entries { name type } } } } }
    object(expression: "main:src/a.txt") { ... on Blob { text byteSize } }
    refs(refPrefix: "refs/heads/", first: 10) { totalCount nodes { name prefix } }
  }
}`
const ZERO = '0'.repeat(40)

interface Look {
  repository: {
    id: string
    defaultBranchRef: { target: { oid: string } }
    object: { text: string }
    refs: { nodes: { name: string }[] }
  }
}

/** The type and message of the first error of a GraphQL call that must fail. */
async function complaint(call: Promise<unknown>): Promise<{ type?: string; message: string } | undefined> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const errors = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined
  return Array.isArray(errors) ? errors[0] : undefined
}

describe('GraphQL', () => {
  it('moves several refs at once, each only from where it is expected', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const { repository } = await client.graphql<Look>(LOOK, REPO)
    const head = repository.defaultBranchRef.target.oid
    const tree = (await client.rest.git.getCommit({ ...REPO, commit_sha: head })).data.tree.sha
    const next = await client.rest.git.createCommit({ ...REPO, message: 'next', tree, parents: [head] })
    const update = async (...refUpdates: object[]) =>
      await client.graphql(UPDATE, { input: { repositoryId: repository.id, refUpdates } })
    await update(
      { name: 'refs/heads/main', beforeOid: head, afterOid: next.data.sha },
      { name: 'refs/heads/elite/a', beforeOid: ZERO, afterOid: head },
      { name: 'refs/loreley/keep/1', afterOid: head },
    )
    const stale = await complaint(
      update(
        { name: 'refs/heads/elite/b', beforeOid: ZERO, afterOid: head },
        { name: 'refs/heads/main', beforeOid: head, afterOid: next.data.sha },
      ),
    )
    expect(stale?.type).toBe('STALE_DATA')
    const backwards = await complaint(update({ name: 'refs/heads/main', afterOid: head }))
    expect(backwards?.message).toContain('not a fast forward')
    await update({ name: 'refs/heads/elite/a', beforeOid: head, afterOid: ZERO })
    const after = await client.graphql<Look>(LOOK, REPO)
    expect(after.repository.refs.nodes.map(({ name }) => name)).toEqual(['main'])
    expect(after.repository.object.text).toBe('one\ntwo\nthree\n')
  })

  it('appends a commit to a branch whose head is known', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const head = (await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha
    const document = `mutation ($input: CreateCommitOnBranchInput!) {
      createCommitOnBranch(input: $input) { commit { oid message parents { totalCount } } ref { name } } }`
    const input = {
      branch: { repositoryNameWithOwner: 'acme/demo', branchName: 'main' },
      expectedHeadOid: head,
      message: { headline: 'by graphql', body: 'body' },
      fileChanges: {
        additions: [{ path: 'new.txt', contents: Buffer.from('new').toString('base64') }],
        deletions: [{ path: 'README.md' }],
      },
    }
    const made = await client.graphql(document, { input })
    expect(made).toMatchObject({
      createCommitOnBranch: { commit: { message: 'by graphql\n\nbody' }, ref: { name: 'main' } },
    })
    expect(await complaint(client.graphql(document, { input }))).toMatchObject({ type: 'STALE_DATA' })
    const files = await client.rest.repos.getContent({ ...REPO, path: '' })
    expect(files.data).toMatchObject([{ name: 'new.txt' }, { name: 'src' }])
  })

  it('refuses who may not, what does not exist, and what the schema does not have', async () => {
    const box = await startTestBox({ private: true })
    const { repository } = await box.as('rita').graphql<Look>(LOOK, REPO)
    const input = { repositoryId: repository.id, refUpdates: [] }
    expect((await complaint(box.as('rita').graphql(UPDATE, { input })))?.type).toBe('FORBIDDEN')
    const weak = await box.installation({ contents: 'read' })
    expect((await complaint(weak.graphql(UPDATE, { input })))?.type).toBe('FORBIDDEN')
    expect((await complaint(box.as('sam').graphql(LOOK, REPO)))?.type).toBe('NOT_FOUND')
    expect((await complaint(box.as('rita').graphql('{ nonsense }')))?.message).toContain('Cannot query field')
    await expect(box.client().graphql('{ viewer { login } }')).rejects.toMatchObject({ status: 401 })
    expect(await box.as('rita').graphql('{ viewer { login } rateLimit { limit } }')).toMatchObject({
      viewer: { login: 'rita' },
    })
  })
})
