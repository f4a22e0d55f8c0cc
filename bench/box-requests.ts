import { Agent, request } from 'node:http'

/** What a request came back with. */
export interface Answer {
  readonly status: number
  readonly etag: string
  readonly json: Readonly<Record<string, unknown>>
}

export interface Client {
  call(method: string, path: string, body?: unknown, etag?: string): Promise<Answer>
  close(): void
}

/** A client that keeps its connections, as Octokit's does. */
export function createClient(apiUrl: string, token: string, sockets: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  const call: Client['call'] = (method, path, body, etag) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      }
      const url = path === '/graphql' ? apiUrl.replace('/v3', '/graphql') : `${apiUrl}${path}`
      const sent = request(url, { method, agent, headers }, (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8')
          const etag = response.headers.etag ?? ''
          resolve({ status: response.statusCode ?? 0, etag, json: parseJson(text) })
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { call, close: () => agent.destroy() }
}

function parseJson(text: string): Readonly<Record<string, unknown>> {
  return (text.startsWith('{') ? JSON.parse(text) : {}) as Readonly<Record<string, unknown>>
}

const REPO = '/repos/acme/demo'

/** One kind of request of the mix; a kind that writes may make several. */
export interface Kind {
  readonly name: string
  /** How often it comes in one round of the mix. */
  readonly share: number
  readonly requests: number
  run(client: Client, ordinal: number): Promise<readonly Answer[]>
}

const get = (name: string, share: number, path: string): Kind => ({
  name,
  share,
  requests: 1,
  run: async (client) => [await client.call('GET', path)],
})

let lastIssue = 1
let head: Promise<string> | undefined

/** What an App does all day: mostly reads, some comments, commits by the Git Data API, and checks. */
export const KINDS: readonly Kind[] = [
  get('repository', 8, REPO),
  get('file', 8, `${REPO}/contents/README.md`),
  get('commit', 6, `${REPO}/commits/main`),
  get('ref', 8, `${REPO}/git/ref/heads/main`),
  get('issues', 6, `${REPO}/issues?per_page=30`),
  get('issue', 8, `${REPO}/issues/1`),
  get('comments', 6, `${REPO}/issues/1/comments`),
  get('pulls', 4, `${REPO}/pulls`),
  get('permission', 6, `${REPO}/collaborators/wendy/permission`),
  {
    name: 'unchanged',
    share: 4,
    requests: 2,
    run: async (client) => {
      const first = await client.call('GET', REPO)
      return [first, await client.call('GET', REPO, undefined, first.etag)]
    },
  },
  {
    name: 'new issue',
    share: 2,
    requests: 1,
    run: async (client, ordinal) => {
      const made = await client.call('POST', `${REPO}/issues`, { title: `issue ${ordinal}`, body: 'text' })
      lastIssue = Number(made.json.number ?? lastIssue)
      return [made]
    },
  },
  {
    name: 'comment',
    share: 6,
    requests: 1,
    run: async (client, ordinal) => [
      await client.call('POST', `${REPO}/issues/${lastIssue}/comments`, { body: `comment ${ordinal}` }),
    ],
  },
  {
    name: 'edit comment',
    share: 4,
    requests: 2,
    run: async (client, ordinal) => {
      const made = await client.call('POST', `${REPO}/issues/${lastIssue}/comments`, { body: 'first' })
      const body = `edited ${ordinal}`
      return [made, await client.call('PATCH', `${REPO}/issues/comments/${made.json.id}`, { body })]
    },
  },
  {
    name: 'check',
    share: 3,
    requests: 2,
    run: async (client, ordinal) => {
      const head_sha = await headOf(client)
      const made = await client.call('POST', `${REPO}/check-runs`, { name: `check ${ordinal}`, head_sha })
      const done = { conclusion: 'success', output: { title: 'done', summary: 'well' } }
      return [made, await client.call('PATCH', `${REPO}/check-runs/${made.json.id}`, done)]
    },
  },
  { name: 'commit by Git Data', share: 3, requests: 4, run: commitFile },
  {
    name: 'GraphQL',
    share: 3,
    requests: 1,
    run: async (client) => [
      await client.call('POST', '/graphql', {
        query: '{ repository(owner: "acme", name: "demo") { id name defaultBranchRef { name } } }',
      }),
    ],
  },
]

// Asked once: the mix does not move the branch.
async function headOf(client: Client): Promise<string> {
  head ??= client.call('GET', `${REPO}/commits/main`).then(({ json }) => String(json.sha))
  return await head
}

async function commitFile(client: Client, ordinal: number): Promise<readonly Answer[]> {
  const parent = await headOf(client)
  const blob = await client.call('POST', `${REPO}/git/blobs`, { content: `text ${ordinal}\n` })
  const entry = { path: `files/${ordinal % 50}.txt`, mode: '100644', type: 'blob', sha: blob.json.sha }
  const tree = await client.call('POST', `${REPO}/git/trees`, { base_tree: parent, tree: [entry] })
  const draft = { message: `commit ${ordinal}`, tree: tree.json.sha, parents: [parent] }
  const commit = await client.call('POST', `${REPO}/git/commits`, draft)
  const ref = { ref: `refs/bench/${ordinal}`, sha: commit.json.sha }
  return [blob, tree, commit, await client.call('POST', `${REPO}/git/refs`, ref)]
}
