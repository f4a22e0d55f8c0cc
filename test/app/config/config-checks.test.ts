import { expect, it } from 'vitest'
import { RepositoryReconciler } from '../../../src/app/reconcile/repository-reconciler.ts'
import { REPO } from '../../sandbox/support.ts'
import { aRepository, type TestRepository } from '../a-repository.ts'

/** Opens a pull request that writes one file. */
async function aPull({ github }: TestRepository, path: string): Promise<string> {
  const { git, repos, pulls } = github.box.as('wendy').rest
  const branch = path.replaceAll(/\W/g, '-')
  const sha = github.git('rev-parse', 'main')
  await git.createRef({ ...REPO, ref: `refs/heads/${branch}`, sha })
  const content = Buffer.from('goal: 7\n').toString('base64')
  const blob = github.git('ls-tree', '--object-only', 'main', path)
  await repos.createOrUpdateFileContents({
    ...REPO,
    path,
    branch,
    content,
    message: path,
    ...(blob !== '' && { sha: blob }),
  })
  await pulls.create({ ...REPO, title: path, head: branch, base: 'main' })
  return github.git('rev-parse', branch)
}

async function checksOf({ github }: TestRepository, ref: string): Promise<(string | null)[]> {
  const { data } = await github.octokit.rest.checks.listForRef({ ...REPO, ref, filter: 'all' })
  return data.check_runs.map(({ name, conclusion }) => `${name} ${conclusion}`)
}

it('checks the config of pull requests that no webhook told of, once', async () => {
  const repository = await aRepository()
  const { host, tools, github } = repository
  const [broken, other] = [await aPull(repository, '.loreley.yml'), await aPull(repository, 'notes.md')]
  const look = async () => {
    await tools.clock.sleep(tools.settings.fullReconcileMs)
    const counts = await github.count(() => host.reconcile())
    return counts['GET /repos/{owner}/{repo}/pulls/{pull_number}/files'] ?? 0
  }
  expect([await look(), await look()]).toEqual([2, 0])
  expect(await checksOf(repository, broken)).toEqual(['loreley config failure'])
  expect(await checksOf(repository, other)).toEqual([])

  // As another process, which knows of no head.
  await new RepositoryReconciler(tools).reconcile()
  expect(await checksOf(repository, broken)).toEqual(['loreley config failure'])
})
