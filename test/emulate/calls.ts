import { Octokit } from '@octokit/rest'

/** Values that later calls need from earlier ones. */
export type Memo = Record<string, string>

export interface Call {
  readonly name: string
  /** The compared part of the answer, in which both must agree. */
  run(client: Octokit, memo: Memo): Promise<unknown>
  /** A known difference and its reason. The comparison fails when it disappears. */
  readonly differs?: string
}

const REPO = { owner: 'acme', repo: 'demo' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const READS: readonly Call[] = [
  {
    name: 'GET /user',
    run: async (client) => (await client.rest.users.getAuthenticated()).data.login,
  },
  {
    name: 'GET a repository',
    run: async (client) => {
      const { data } = await client.rest.repos.get(REPO)
      return [data.full_name, data.default_branch, data.private, data.owner.type]
    },
  },
  {
    name: 'GET a repository that is not there',
    run: (client) => client.rest.repos.get({ ...REPO, repo: 'no' }),
  },
  {
    name: 'an unknown token',
    run: async (client) => {
      const { baseUrl } = client.request.endpoint.DEFAULTS
      const stranger = new Octokit({ baseUrl, auth: 'nope', log: client.log })
      return (await stranger.rest.repos.get(REPO)).status
    },
    differs: 'emulate takes any token for a user; GitHub answers 401 Bad credentials, as the sandbox does.',
  },
  {
    name: 'an ETag and 304',
    run: async (client) => typeof (await client.rest.repos.get(REPO)).headers.etag,
    differs: 'emulate sends no ETag; GitHub does, and answers 304 to If-None-Match.',
  },
]

const GIT_DATA: readonly Call[] = [
  {
    name: 'the head of main',
    run: async (client, memo) => {
      const { data } = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
      memo.head = data.object.sha
      const { data: commit } = await client.rest.git.getCommit({ ...REPO, commit_sha: memo.head })
      memo.base = commit.tree.sha
      return [data.ref, data.object.type]
    },
  },
  {
    name: 'create a blob',
    run: async (client, memo) => {
      memo.blob = (await client.rest.git.createBlob({ ...REPO, content: 'text\n' })).data.sha
      return memo.blob
    },
  },
  {
    name: 'read a blob',
    run: async (client, memo) => {
      const { data } = await client.rest.git.getBlob({ ...REPO, file_sha: memo.blob ?? '' })
      return [data.encoding, data.size, data.content.replaceAll('\n', '')]
    },
  },
  {
    name: 'create a tree on a base, with inline content',
    run: async (client, memo) => {
      const tree = [
        { path: 'a/b.txt', mode: '100644', type: 'blob', content: 'inline\n' },
        { path: 'c.txt', mode: '100755', type: 'blob', sha: memo.blob ?? '' },
      ] as const
      const { data } = await client.rest.git.createTree({
        ...REPO,
        base_tree: memo.base ?? '',
        tree: [...tree],
      })
      memo.tree = data.sha
      return data.tree
        .filter((entry) => entry.path !== 'README.md')
        .map((entry) => [entry.path, entry.mode, entry.sha])
    },
  },
  {
    name: 'a commit as the base of a tree',
    run: async (client, memo) => {
      const tree = [{ path: 'x', mode: '100644', type: 'blob', content: 'x' } as const]
      return (await client.rest.git.createTree({ ...REPO, base_tree: memo.head ?? '', tree })).status
    },
    differs: 'emulate takes only a tree; GitHub takes a commit’s tree, and many clients rely on it.',
  },
  {
    name: 'a tree entry without its type',
    run: async (client) =>
      (await client.rest.git.createTree({ ...REPO, tree: [{ path: 'x', mode: '100644', content: 'x' }] }))
        .data.sha,
    differs: 'emulate asks for `type`; GitHub’s description does not require it.',
  },
  {
    name: 'create a commit',
    run: async (client, memo) => {
      const draft = { ...REPO, message: 'second', tree: memo.tree ?? '', parents: [memo.head ?? ''] }
      const { data } = await client.rest.git.createCommit(draft)
      memo.commit = data.sha
      return [data.message, data.parents.length, data.tree.sha === memo.tree]
    },
  },
  {
    name: 'create a ref in a namespace of its own',
    run: async (client, memo) =>
      (await client.rest.git.createRef({ ...REPO, ref: 'refs/own/state', sha: memo.head ?? '' })).data.ref,
  },
  {
    name: 'create a ref that exists',
    run: (client, memo) =>
      client.rest.git.createRef({ ...REPO, ref: 'refs/own/state', sha: memo.head ?? '' }),
  },
  {
    name: 'create a ref to nothing',
    run: (client) => client.rest.git.createRef({ ...REPO, ref: 'refs/own/x', sha: `${'0'.repeat(39)}1` }),
  },
  {
    name: 'move a ref forward',
    run: async (client, memo) =>
      (await client.rest.git.updateRef({ ...REPO, ref: 'own/state', sha: memo.commit ?? '' })).data.ref,
  },
  {
    name: 'move a ref back without force',
    run: (client, memo) =>
      client.rest.git.updateRef({ ...REPO, ref: 'own/state', sha: memo.head ?? '', force: false }),
  },
  {
    name: 'matching refs',
    run: async (client) =>
      (await client.rest.git.listMatchingRefs({ ...REPO, ref: 'own/' })).data.map((one) => one.ref),
  },
  {
    name: 'twenty updates from one parent',
    run: async (client, memo) => {
      await client.rest.git.createRef({ ...REPO, ref: 'refs/own/race', sha: memo.head ?? '' })
      const commits = await Promise.all(
        Array.from({ length: 20 }, async (_one, index) => {
          const draft = {
            ...REPO,
            message: `race ${index}`,
            tree: memo.tree ?? '',
            parents: [memo.head ?? ''],
          }
          return (await client.rest.git.createCommit(draft)).data.sha
        }),
      )
      const moves = await Promise.all(
        commits.map((sha) =>
          client.rest.git.updateRef({ ...REPO, ref: 'own/race', sha, force: false }).then(
            () => 200,
            (error: { status: number }) => error.status,
          ),
        ),
      )
      return moves.sort()
    },
  },
  {
    name: 'delete a ref',
    run: async (client) => (await client.rest.git.deleteRef({ ...REPO, ref: 'own/race' })).status,
  },
]

const CONTENTS: readonly Call[] = [
  {
    name: 'write a file',
    run: async (client, memo) => {
      const put = { ...REPO, path: 'd/e.txt', message: 'add e', content: base64('e\n') }
      const { data, status } = await client.rest.repos.createOrUpdateFileContents(put)
      memo.file = data.content?.sha ?? ''
      return [status, memo.file, data.commit.message]
    },
  },
  {
    name: 'write a file with a stale sha',
    run: (client) =>
      client.rest.repos.createOrUpdateFileContents({
        ...REPO,
        path: 'd/e.txt',
        message: 'again',
        content: base64('f\n'),
        sha: '0'.repeat(40),
      }),
  },
  {
    name: 'list a folder',
    run: async (client) => {
      const { data } = await client.rest.repos.getContent({ ...REPO, path: 'd' })
      return (
        Array.isArray(data) &&
        data.map((entry) => [entry.type, entry.name, entry.path, entry.size, entry.sha])
      )
    },
  },
  {
    name: 'compare as a diff',
    run: async (client, memo) => {
      const basehead = `${memo.head}...main`
      const { data } = await client.rest.repos.compareCommitsWithBasehead({
        ...REPO,
        basehead,
        mediaType: { format: 'diff' },
      })
      return String(data).startsWith('diff --git')
    },
    differs: 'emulate ignores the media type `diff`; GitHub sends the diff as text.',
  },
  {
    name: 'delete a file',
    run: async (client, memo) =>
      (
        await client.rest.repos.deleteFile({
          ...REPO,
          path: 'd/e.txt',
          message: 'remove e',
          sha: memo.file ?? '',
        })
      ).status,
  },
]

const ISSUES: readonly Call[] = [
  {
    name: 'create a label',
    run: async (client) => {
      const { data } = await client.rest.issues.createLabel({
        ...REPO,
        name: 'own',
        color: 'ff0000',
        description: 'd',
      })
      return [data.name, data.color, data.description, data.default]
    },
  },
  { name: 'create a label twice', run: (client) => client.rest.issues.createLabel({ ...REPO, name: 'own' }) },
  {
    name: 'create an issue',
    run: async (client) => {
      const { data } = await client.rest.issues.create({
        ...REPO,
        title: 'one',
        body: 'text',
        labels: ['own'],
      })
      return [data.number, data.state, data.title, data.comments, data.labels.length, data.user?.login]
    },
  },
  {
    name: 'create an issue without a title',
    run: (client) => client.request('POST /repos/acme/demo/issues', { body: 'x' }),
  },
  {
    name: 'comment',
    run: async (client, memo) => {
      const { data } = await client.rest.issues.createComment({ ...REPO, issue_number: 1, body: 'said' })
      memo.comment = String(data.id)
      return [data.body, data.user?.login]
    },
  },
  {
    name: 'edit a comment',
    run: async (client, memo) =>
      (await client.rest.issues.updateComment({ ...REPO, comment_id: Number(memo.comment), body: 'else' }))
        .data.body,
  },
  {
    name: 'react to an issue',
    run: async (client) =>
      (await client.rest.reactions.createForIssue({ ...REPO, issue_number: 1, content: '+1' })).data.content,
    differs: 'emulate has no reactions.',
  },
  {
    name: 'close an issue',
    run: async (client) => {
      const { data } = await client.rest.issues.update({ ...REPO, issue_number: 1, state: 'closed' })
      return [data.state, data.state_reason, data.closed_at === null]
    },
  },
  {
    name: 'pages of a list',
    run: async (client) => {
      for (const title of ['two', 'three']) await client.rest.issues.create({ ...REPO, title })
      const { data, headers } = await client.rest.issues.listForRepo({ ...REPO, state: 'all', per_page: 2 })
      return [
        data.map((issue) => issue.number),
        /rel="next"/.test(headers.link ?? ''),
        /rel="last"/.test(headers.link ?? ''),
      ]
    },
  },
]

const PULLS: readonly Call[] = [
  {
    name: 'open a pull request that conflicts',
    run: async (client, memo) => {
      const { data: main } = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
      await client.rest.git.createRef({ ...REPO, ref: 'refs/heads/side', sha: main.object.sha })
      for (const branch of ['main', 'side']) {
        const put = { ...REPO, path: 'fight.txt', message: branch, content: base64(`${branch}\n`), branch }
        await client.rest.repos.createOrUpdateFileContents(put)
      }
      const { data } = await client.rest.pulls.create({ ...REPO, title: 'side', head: 'side', base: 'main' })
      memo.pull = String(data.number)
      return [data.state, data.draft, data.head.ref, data.base.ref]
    },
  },
  {
    name: 'the files of a pull request',
    run: async (client, memo) => {
      const { data } = await client.rest.pulls.listFiles({ ...REPO, pull_number: Number(memo.pull) })
      return data.map((file) => [file.filename, file.status, file.additions])
    },
    differs: 'emulate does not compute a pull request’s files.',
  },
  {
    name: 'merge a pull request that conflicts',
    run: (client, memo) =>
      client.rest.pulls.merge({ ...REPO, pull_number: Number(memo.pull), merge_method: 'merge' }),
    differs: 'emulate merges it with 200 and loses the other side’s change; GitHub answers 405.',
  },
]

const CHECKS_AND_ACTIONS: readonly Call[] = [
  {
    name: 'GraphQL',
    run: async (client) => await client.graphql('{ viewer { login } }'),
    differs: 'emulate has no GraphQL.',
  },
  {
    name: 'workflows of a repository without any',
    run: async (client) => (await client.rest.actions.listRepoWorkflows(REPO)).data.total_count,
  },
  {
    name: 'a commit status',
    run: async (client, memo) =>
      (await client.rest.repos.createCommitStatus({ ...REPO, sha: memo.head ?? '', state: 'success' })).data
        .state,
    differs: 'emulate has no commit statuses.',
  },
]

/** The calls that both support, in order. Later ones build on earlier ones. */
export const CALLS: readonly Call[] = [
  ...READS,
  ...GIT_DATA,
  ...CONTENTS,
  ...ISSUES,
  ...PULLS,
  ...CHECKS_AND_ACTIONS,
]
