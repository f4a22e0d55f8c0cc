import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startTestBox } from '../support.ts'

const ADA = { name: 'Ada', email: 'ada@example.com' }

async function commit(client: Octokit, author?: typeof ADA) {
  const { data: main } = await client.rest.repos.getBranch({ ...REPO, branch: 'main' })
  return await client.rest.git.createCommit({
    ...REPO,
    message: 'signed?\n\n body\n',
    tree: main.commit.commit.tree.sha,
    parents: [main.commit.sha],
    ...(author === undefined ? {} : { author }),
  })
}

describe('signatures', () => {
  it("an App's commit without an explicit author is signed", async () => {
    const box = await startTestBox()
    const client = await box.installation({ contents: 'write' })
    const signed = await commit(client)
    expect(signed.data.verification).toMatchObject({ verified: true, reason: 'valid' })
    expect(signed.data.message).toBe('signed?\n\n body')
    expect(signed.data.verification.payload).toContain(`tree ${signed.data.tree.sha}\nparent `)
    expect((await commit(client, ADA)).data.verification.reason).toBe('unsigned')
    expect((await commit(box.as('wendy'))).data.verification.verified).toBe(false)
    const file = { ...REPO, path: 'a.txt', message: 'm', content: '' }
    const written = await client.rest.repos.createOrUpdateFileContents(file)
    expect(written.data.commit.verification?.verified).toBe(true)
  })

  it('a rule can require signatures', async () => {
    const box = await startTestBox()
    await box.as('olivia').rest.repos.createRepoRuleset({
      ...REPO,
      name: 'signed',
      enforcement: 'active',
      conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
      rules: [{ type: 'required_signatures' }],
    })
    const client = await box.installation({ contents: 'write' })
    const move = (sha: string) => client.rest.git.updateRef({ ...REPO, ref: 'heads/main', sha })
    const refused = await failure(move((await commit(client, ADA)).data.sha))
    expect(refused.message).toContain('Commits must have verified signatures.')
    expect((await move((await commit(client)).data.sha)).status).toBe(200)
    const { data: main } = await client.rest.repos.getBranch({ ...REPO, branch: 'main' })
    expect(main.commit.commit.verification?.verified).toBe(true)
    const query =
      'mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }'
    const input = {
      branch: { repositoryNameWithOwner: 'acme/demo', branchName: 'main' },
      expectedHeadOid: main.commit.sha,
      message: { headline: 'by graphql' },
      fileChanges: { additions: [{ path: 'b.txt', contents: '' }] },
    }
    await client.graphql(query, { input })
    expect((await client.rest.repos.getContent({ ...REPO, path: 'b.txt' })).status).toBe(200)
  })
})
