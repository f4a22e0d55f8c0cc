import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setSecret } from '../../../src/sandbox/actions/secrets/secret-routes.ts'
import { repositories } from '../../../src/sandbox/state/documents.ts'
import { REPO, type TestBox } from '../../sandbox/support.ts'
import { answerCompetently } from '../../support/agents/competent-exchange.ts'
import { type Asked, startOpenAiServer, type Turn } from '../../support/agents/openai-server.ts'
import { proposalOf, startActionBox } from '../action-box.ts'
import { openFolders } from '../open-folders.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/circle-packing')
const KEY = 'loreley-test-key-0123456789'

const SNOOP = join(import.meta.dirname, '../../fixtures/snoop.mjs')
const snoopSince = (ms: number): string =>
  readFileSync(SNOOP, 'utf8').replace('BEGUN_MS = 0', `BEGUN_MS = ${ms}`)

const agentAt = (url: string): string => `agent:
  use: openai
  openai: { base_url: '${url}', models: [{ name: scripted }] }
`

/** The example with a model for its agent, and an evaluator that searches for secrets before it measures. */
function filesWith(url: string): Record<string, string> {
  const names = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const files = Object.fromEntries(
    names.map((path) => [path.slice(EXAMPLE.length + 1), readFileSync(path, 'utf8')]),
  )
  return {
    ...files,
    '.loreley.yml': (files['.loreley.yml'] ?? '').replace('agent:\n  use: offline\n', agentAt(url)),
    'evaluator/snoop.mjs': snoopSince(Date.now()),
    'evaluate.mjs': (files['evaluate.mjs'] ?? '')
      .replace('\nimport', `\nimport { snoop } from './evaluator/snoop.mjs'\nimport`)
      .replace(
        'console.log(JSON.stringify(measure(circles)))',
        `const { planted, leaks } = snoop()
  console.log(JSON.stringify({ ...measure(circles), planted: Math.min(planted, 1), leaks }))`,
      ),
  }
}

/** A repository whose evaluator prints what the candidate's own process says, kept apart at this level. */
function trusting(url: string, isolation: string): Record<string, string> {
  return {
    '.loreley.yml': `
goal: Explore.
scope: { editable: [src/**] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: node "$LORELEY_TRUSTED/evaluate.mjs", isolation: ${isolation}, timeout_seconds: 300 }
${agentAt(url)}`,
    'evaluate.mjs': `import { execFileSync } from 'node:child_process'
process.stdout.write(execFileSync(process.execPath, ['src/solve.mjs']))
`,
    'src/solve.mjs': 'console.log(JSON.stringify({ score: 1 }))\n',
  }
}

/** A model whose code searches for secrets when it runs. */
function answerCuriously({ body }: Asked): Turn {
  if (body.messages.some(({ role }) => role === 'assistant')) return { text: 'explore' }
  const path = 'src/solve.mjs'
  const content = `${snoopSince(Date.now())}
const { planted, leaks } = snoop()
console.log(JSON.stringify({ score: 2, planted: Math.min(planted, 1), leaks }))
`
  const canWrite = body.tools?.some(({ function: { name } }) => name === 'write_file')
  return canWrite ? { calls: [{ name: 'write_file', arguments: { path, content } }] } : { text: 'a plan' }
}

/** The key where the template wants it: in an environment that only the App's branches may use. */
async function addKey(box: TestBox): Promise<void> {
  const [repo] = repositories(box.box.store).all()
  if (repo === undefined) throw new Error('the box has no repository')
  const place = { ...REPO, environment_name: 'loreley' }
  const { repos } = box.as('olivia').rest
  const policy = { protected_branches: false, custom_branch_policies: true }
  await repos.createOrUpdateEnvironment({ ...place, deployment_branch_policy: policy })
  await repos.createDeploymentBranchPolicy({ ...place, name: 'loreley/runner/*' })
  setSecret(box.box, repo, { name: 'OPENAI_API_KEY', value: KEY, environment: 'loreley' })
}

const WRITES = `      - name: Try to write
        env: { TOKEN: '\${{ github.token }}' }
        run: |
          git clone -q "http://x:$TOKEN@\${GITHUB_SERVER_URL#http://}/$GITHUB_REPOSITORY.git" "$RUNNER_TEMP/mine"
          cd "$RUNNER_TEMP/mine"
          git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine
          git push -q origin HEAD:refs/heads/mine && echo "pushed" || echo "push refused"
          curl -sS -o /dev/null -w 'API says %{http_code}\\n' -X POST -H "Authorization: Bearer $TOKEN" \\
            "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/git/refs" -d "{\\"ref\\": \\"refs/heads/mine\\", \\"sha\\": \\"$GITHUB_SHA\\"}"
`

const tryToWrite = (template: string): string =>
  template.replaceAll(/^ {6}- name: (Let the agent work|Measure)$/gm, `${WRITES}$&`)

describe('the workflow template in the box', () => {
  it('shows the key of the model to propose alone, and no job can write', async () => {
    const model = await startOpenAiServer(answerCompetently)
    onTestFinished(() => model.close())
    const { box, dispatch } = await startActionBox({
      files: filesWith(model.url),
      editTemplate: tryToWrite,
    })
    await addKey(box)
    const finished = await dispatch()
    const { log, run, result, artifacts } = finished
    expect(log).not.toContain('##[error]')
    expect(run.conclusion).toBe('success')
    expect(model.asked).toHaveLength(9)
    expect(new Set(model.asked.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${KEY}`]),
    )
    expect(proposalOf(finished).outcome).toMatchObject({
      status: 'proposed',
      summary: 'start from a grid, relax and grow for longer',
      models: ['scripted'],
      card: { files: 3 },
    })
    expect(result).toMatchObject({
      outcome: {
        status: 'measured',
        metrics: { sum_radii: expect.closeTo(2.504, 2), planted: 1, leaks: 0 },
      },
      isolation: { network: 'none' },
    })
    expect(run.jobs.map((job) => job.log.match(/^(push refused|pushed|API says \d+)$/gm))).toEqual([
      ['push refused', 'API says 403'],
      ['push refused', 'API says 403'],
    ])
    const written = [...artifacts.values()].flatMap((files) => [...files.values()])
    expect([log, ...written.map((bytes) => Buffer.from(bytes).toString())].join('\n')).not.toContain(KEY)
  })

  it.each([
    ['namespace', 'none'],
    ['user', 'host'],
  ])('lets a candidate find no key and no token at level %s', async (level, network) => {
    const model = await startOpenAiServer(answerCuriously)
    onTestFinished(() => model.close())
    const { box, dispatch } = await startActionBox({
      files: trusting(model.url, level),
      editTemplate: openFolders,
    })
    await addKey(box)
    const { log, result } = await dispatch()
    expect(model.asked.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(result, log).toMatchObject({
      outcome: { status: 'measured', metrics: { score: 2, planted: 1, leaks: 0 } },
      isolation: { level, network },
    })
  })
})
