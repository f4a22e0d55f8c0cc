import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { BaseTrees } from '../git/base-trees.ts'
import { findFile } from '../repository-facts.ts'
import { type Finding, fine } from './finding.ts'

const workflowAnswer = z.object({ path: z.string(), state: z.string() })

const FOLDER = '.github/workflows'

/** Whether the workflow that candidates run in is there and switched on. `ref` is what runs are dispatched on. */
export async function checkWorkflow(api: RepositoryApi, workflow: string, ref: string): Promise<Finding> {
  const path = `${FOLDER}/${workflow}`
  const outcome = await api.ask({
    route: 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}',
    parameters: { workflow_id: workflow },
    answer: workflowAnswer,
    priority: 'state',
  })
  if (outcome.status !== 'done' || outcome.value.state === 'deleted')
    return blocked(
      `There is no workflow \`${path}\` on the default branch, or Actions are switched off.`,
      `Commit the file that \`loreley init --github\` writes, and allow Actions in the repository's settings.`,
    )
  if (outcome.value.state !== 'active')
    return blocked(
      `The workflow \`${path}\` is disabled (${outcome.value.state}).`,
      'Enable it on the Actions tab: ⋯ → Enable workflow.',
    )
  const text = await findFile(api, path, ref)
  if (text === undefined)
    return blocked(
      `\`${ref}\` has no \`${path}\`: GitHub runs the file of the commit that is dispatched.`,
      'Begin a new campaign from a commit that has the workflow.',
    )
  return fine('workflow', `The workflow \`${path}\` is there and enabled.`)
}

/**
 * Whether refs to the campaign's commits can still be made: an App without the permission `workflows` may not
 * bring workflow files that the default branch does not have, also when they are only old.
 */
export async function checkDiverged(
  trees: BaseTrees,
  { root, now }: { readonly root: string; readonly now: string },
): Promise<Finding> {
  const topic = 'workflows-diverged'
  const folderOf = async (tree: string) => (await trees.find(tree, [FOLDER])).get(FOLDER)?.id
  const [old, current] = [await folderOf(root), await folderOf(now)]
  if (old === undefined || old === current) return fine(topic, 'The workflow files are those of the root.')
  return {
    topic,
    state: 'warning',
    message:
      'The workflow files of the default branch have changed since the campaign’s root. GitHub may refuse branches of its candidates to an App that may not write workflows.',
    remedy:
      'Begin a new campaign from the present default branch, or give the App the permission `workflows: write`.',
  }
}

function blocked(message: string, remedy: string): Finding {
  return { topic: 'workflow', state: 'blocked', message, remedy }
}
