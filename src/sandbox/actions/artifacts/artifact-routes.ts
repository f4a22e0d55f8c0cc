import { senderOf } from '../../access/sender.ts'
import type { Box, Download, Family, RepoCall } from '../../box.ts'
import { downloadLink } from '../../http/downloads.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { listIn, noContent, ok, type Reply, redirect } from '../../http/reply.ts'
import { repoRoute } from '../../http/route.ts'
import { artifactView } from '../actions-view.ts'
import { type Artifact, artifacts } from '../documents.ts'
import { getRun } from '../runs/run-routes.ts'
import { artifactFile, isExpired, removeArtifact } from './artifacts.ts'

const ARTIFACT = '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}'
const READ = { actions: 'read' } as const

/** Artifacts: zips that runs have uploaded. They are readable while the run goes on. */
export const artifactsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/actions/artifacts', READ, (call) => listArtifacts(call, () => true)),
    repoRoute('GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts', READ, (call) => {
      const run = getRun(call)
      return listArtifacts(call, (artifact) => artifact.runId === run.id)
    }),
    repoRoute(`GET ${ARTIFACT}`, READ, (call) => ok(artifactView(call.box, call.repo, getArtifact(call)))),
    repoRoute(`GET ${ARTIFACT}/{archive_format}`, READ, download),
    repoRoute(`DELETE ${ARTIFACT}`, { actions: 'write' }, (call) => {
      removeArtifact(call.box, getArtifact(call).id)
      return noContent()
    }),
  ],
  downloads: { artifact: findContent },
}

async function listArtifacts(call: RepoCall, isWanted: (artifact: Artifact) => boolean): Promise<Reply> {
  const name = call.query.findText('name')
  const found = artifacts(call.box.store)
    .all()
    .filter((artifact) => artifact.repositoryId === call.repo.id && isWanted(artifact))
    .filter((artifact) => name === undefined || artifact.name === name)
  // Newest first unless asked otherwise.
  const ordered = call.query.findText('direction') === 'asc' ? found : found.reverse()
  return await listIn(call, 'artifacts', ordered, (artifact) => artifactView(call.box, call.repo, artifact))
}

function getArtifact(call: RepoCall): Artifact {
  const found = artifacts(call.box.store).find(call.path.number('artifact_id'))
  if (found === undefined || found.repositoryId !== call.repo.id) throw notFound()
  return found
}

function download(call: RepoCall): Reply {
  const artifact = getArtifact(call)
  senderOf(call)
  if (call.path.text('archive_format') !== 'zip') throw notFound()
  if (isExpired(call.box, artifact)) throw new ApiError(410, 'Artifact has expired')
  return redirect(downloadLink(call.box, 'artifact', artifact.id))
}

function findContent(box: Box, key: string): Download | undefined {
  const artifact = artifacts(box.store).find(key)
  if (artifact === undefined) return undefined
  const isZip = artifact.mimeType === 'application/zip'
  return {
    type: artifact.mimeType,
    name: isZip ? `${artifact.name}.zip` : artifact.name,
    file: artifactFile(box, artifact.id),
  }
}
