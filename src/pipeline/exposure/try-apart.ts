import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobContext } from '../job-context.ts'
import { measureOnce } from '../measuring/evaluate.ts'
import { removePaths } from '../workspace/withheld.ts'
import { copyFolder, createWorkspace } from '../workspace/workspace.ts'

/**
 * Measures the root once where only programs behind `loreley-candidate` find the files that candidates may change. Returns
 * why the command fails there: it uses them itself. Undefined if it works, or if there are no namespaces to try it in.
 */
export async function tryApart(
  context: JobContext,
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { config, preparedRoot, guard, isolation, objects, path, owner, passedEnvironment } = context
  const { template, trusted, programs, heldOut, rootFiles } = preparedRoot
  const editable = rootFiles.filter((file) => guard.isEditable(file.path))
  if (isolation?.level !== 'namespace' || editable.length === 0) return undefined
  const workspace = await createWorkspace({
    folder: join(folder, 'apart'),
    template,
    without: heldOut.paths,
    // The files are there twice, and they are the root's own.
    maxDiskBytes: Number.MAX_SAFE_INTEGER,
    changes: editable.map(({ pathBytes }) => ({ pathBytes, version: undefined })),
    ...{ objects, path, owner, isolation },
  })
  try {
    const shown = join(workspace.folder, 'shown')
    await mkdir(shown)
    await copyFolder({ from: template, to: shown, path, owner })
    await removePaths(shown, heldOut.paths)
    await isolation.give(workspace.folder)
    const outcome = await measureOnce(
      {
        ...{ workspace, trusted, programs, evaluation: config.evaluation, path, owner, signal, isolation },
        neededMetrics: config.objectives.map(({ metric }) => metric),
        passedEnvironment: { ...passedEnvironment, LORELEY_SHOWN: shown },
      },
      config.evaluation,
    )
    return outcome.status === 'failed' ? `${outcome.reason}: ${outcome.detail}` : undefined
  } finally {
    await workspace.remove()
  }
}
