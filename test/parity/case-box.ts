import { putValue } from '../../src/sandbox/actions/secrets/secrets-and-variables.ts'
import type { RunnerOptions } from '../../src/sandbox/runner/workflow-runner.ts'
import type { RepositoryDocument } from '../../src/sandbox/state/documents.ts'
import { findRepository } from '../../src/sandbox/state/lookups.ts'
import { readZip } from '../sandbox/actions/actions-support.ts'
import { REPO, startTestBox, type TestBox } from '../sandbox/support.ts'
import type { Case } from './cases.ts'

/** A sandbox with a case's repository and secrets. */
export async function startCaseBox(
  { files, expected }: Case,
  runner?: RunnerOptions,
): Promise<{ readonly box: TestBox; readonly repo: RepositoryDocument }> {
  const box = await startTestBox({ files, ...(runner === undefined ? {} : { runner }) })
  const repo = findRepository(box.box.store, REPO.owner, REPO.repo)
  if (repo === undefined) throw new Error('the repository was not seeded')
  for (const [name, value] of Object.entries(expected.secrets)) {
    putValue(box.box, 'secret', { repo, environmentId: null }, { name, value })
  }
  return { box, repo }
}

/** Dispatches the workflow and returns the run's id. */
export async function dispatchCase(box: TestBox): Promise<number> {
  const dispatch = { ...REPO, workflow_id: 'w.yml', ref: 'main', return_run_details: true }
  const route = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'
  const { data } = await box.as('wendy').request(route, dispatch)
  return Number(data.workflow_run_id)
}

/** The files of every artifact of a run, downloaded over REST. */
export async function readArtifacts(box: TestBox, runId: number): Promise<Record<string, unknown>> {
  const { actions } = box.as('rita').rest
  const { data } = await actions.listWorkflowRunArtifacts({ ...REPO, run_id: runId })
  const pairs = data.artifacts.map(async ({ id, name }) => {
    const zip = await actions.downloadArtifact({ ...REPO, artifact_id: id, archive_format: 'zip' })
    return [name, await readZip(zip.data)] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}
