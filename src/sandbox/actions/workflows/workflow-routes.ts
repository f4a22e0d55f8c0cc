import type { Family, RepoCall } from '../../box.ts'
import { notFound } from '../../http/errors.ts'
import { listIn, noContent, ok, type Reply } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { workflowView } from '../actions-view.ts'
import { type Workflow, workflows } from '../documents.ts'
import { discoverWorkflows, listWorkflows, saveWorkflow } from './workflows.ts'

const WORKFLOW = '/repos/{owner}/{repo}/actions/workflows/{workflow_id}'

/** Workflows: files on the default branch that can be disabled. */
export const workflowsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/actions/workflows', { actions: 'read' }, async (call) =>
      listIn(call, 'workflows', await listWorkflows(call.box, call.repo), (workflow) =>
        workflowView(call.box, call.repo, workflow),
      ),
    ),
    repoRoute(`GET ${WORKFLOW}`, { actions: 'read' }, async (call) =>
      ok(workflowView(call.box, call.repo, await getWorkflow(call))),
    ),
    repoRoute(`PUT ${WORKFLOW}/enable`, { actions: 'write' }, (call) => switchTo(call, 'active')),
    repoRoute(`PUT ${WORKFLOW}/disable`, { actions: 'write' }, (call) => switchTo(call, 'disabled_manually')),
  ],
  onRefsMoved: async (box, { repo, moves }) => {
    if (moves.some((move) => move.ref === `refs/heads/${repo.defaultBranch}`)) {
      await discoverWorkflows(box, repo)
    }
  },
}

/** The workflow named by the path, by id or file name. Only an id finds one whose file is gone. */
export async function getWorkflow(call: RepoCall): Promise<Workflow> {
  const wanted = call.path.text('workflow_id')
  const current = await listWorkflows(call.box, call.repo)
  const known = workflows(call.box.store).find(wanted)
  const found =
    current.find(({ path }) => path === `.github/workflows/${wanted}` || path === wanted) ??
    (known?.repositoryId === call.repo.id ? known : undefined)
  if (found === undefined) throw notFound()
  return found
}

async function switchTo(call: RepoCall, state: 'active' | 'disabled_manually'): Promise<Reply> {
  const workflow = await getWorkflow(call)
  if (workflow.state === 'deleted') throw notFound()
  saveWorkflow(call.box, { ...workflow, state })
  return noContent()
}
