import * as z from 'zod'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { BaseTrees } from '../git/base-trees.ts'
import { findFile } from '../repository-facts.ts'
import { type Finding, fine } from './finding.ts'

const workflowAnswer = z.object({ path: z.string(), state: z.string() })

const FOLDER = '.github/workflows'

/** Whether the workflow exists and is enabled. `ref` is what runs are dispatched on. */
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
      `There is no workflow \`${path}\` on the default branch, or Actions are disabled.`,
      `Commit the file that \`loreley init --github\` writes, and enable Actions in the repository's settings.`,
    )
  if (outcome.value.state !== 'active')
    return blocked(
      `The workflow \`${path}\` is disabled (${outcome.value.state}).`,
      'Enable it on the Actions tab: ⋯ → Enable workflow.',
    )
  const text = await findFile(api, path, ref)
  if (text === undefined)
    return blocked(
      `\`${ref}\` has no \`${path}\`, and GitHub runs the file of the dispatched commit.`,
      'Start a new campaign from a commit that has the workflow.',
    )
  return fine('workflow', `The workflow \`${path}\` exists and is enabled.`)
}

/**
 * Whether refs to the campaign's commits can still be created: an App without the permission `workflows` may not push
 * workflow files that differ from the default branch, even if they are only older.
 */
export async function checkDiverged(
  trees: BaseTrees,
  { root, now }: { readonly root: string; readonly now: string },
): Promise<Finding> {
  const topic = 'workflows-diverged'
  const folderOf = async (tree: string) => (await trees.find(tree, [FOLDER])).get(FOLDER)?.id
  const [old, current] = [await folderOf(root), await folderOf(now)]
  if (old === undefined || old === current)
    return fine(topic, 'The workflow files have not changed since the root.')
  return {
    topic,
    state: 'warning',
    message:
      'The workflow files on the default branch have changed since the campaign’s root. Without the permission `workflows: write`, GitHub may refuse branches of its candidates.',
    remedy:
      'Start a new campaign from the current default branch, or grant the App the permission `workflows: write`.',
  }
}

function blocked(message: string, remedy: string): Finding {
  return { topic: 'workflow', state: 'blocked', message, remedy }
}
