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
const CHECKS = `mutation ($a: CreateCheckRunInput!, $b: CreateCheckRunInput!) {
  a: createCheckRun(input: $a) { checkRun { id } } b: createCheckRun(input: $b) { checkRun { id } }
}`
const CHANGE = `mutation ($input: UpdateCheckRunInput!) { updateCheckRun(input: $input) { checkRun { id } } }`
const ZERO = '0'.repeat(40)

interface Written {
  checkRun: { id: string }
}

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
  it('updateRefs moves several refs at once, each only from its expected commit', async () => {
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

  it('createCommitOnBranch appends a commit if the head is the expected one', async () => {
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

  it('GraphQL refuses missing permissions, unknown objects and unknown fields', async () => {
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

  it('one GraphQL request writes several check runs with every field that REST takes', async () => {
    const box = await startTestBox()
    const client = await box.installation()
    const { repository } = await client.graphql<Look>(LOOK, REPO)
    const target = { repositoryId: repository.id, headSha: repository.defaultBranchRef.target.oid }
    const location = { startLine: 1, endLine: 1, startColumn: 2, endColumn: 3 }
    const note = { path: 'src/a.txt', location, annotationLevel: 'WARNING', message: 'hm' }
    const image = { alt: 'a map', imageUrl: 'https://example.com/map.png' }
    const output = { title: 't', summary: 's', text: 'x', annotations: [note], images: [image] }
    const action = { label: 'Promote', description: 'Open it', identifier: 'promote' }
    const made = await client.graphql<{ a: Written; b: Written }>(CHECKS, {
      a: { ...target, name: 'one', externalId: '1', status: 'IN_PROGRESS' },
      b: { ...target, name: 'two', conclusion: 'ACTION_REQUIRED', output, actions: [action] },
    })
    const { data } = await client.rest.checks.listForRef({ ...REPO, ref: 'main' })
    expect(data.check_runs.toReversed()).toMatchObject([
      { node_id: made.a.checkRun.id, name: 'one', external_id: '1', status: 'in_progress' },
      {
        node_id: made.b.checkRun.id,
        name: 'two',
        status: 'completed',
        conclusion: 'action_required',
        output: { title: 't', summary: 's', text: 'x', annotations_count: 1 },
      },
    ])
    const notes = await client.rest.checks.listAnnotations({
      ...REPO,
      check_run_id: data.check_runs[0]?.id ?? 0,
    })
    expect(notes.data).toMatchObject([
      { path: 'src/a.txt', start_line: 1, start_column: 2, end_column: 3, annotation_level: 'warning' },
    ])
    const foreign = { repositoryId: repository.id, checkRunId: 'CR_none' }
    const lost = await complaint(client.graphql(CHANGE, { input: foreign }))
    expect(lost).toMatchObject({ type: 'NOT_FOUND' })
    const reader = await box.installation({ checks: 'read' })
    const denied = await complaint(
      reader.graphql(CHANGE, { input: { ...foreign, checkRunId: made.a.checkRun.id } }),
    )
    expect(denied).toMatchObject({ type: 'FORBIDDEN' })
  })
})
