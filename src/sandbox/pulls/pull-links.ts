import type { Box } from '../box.ts'
import { repoApiUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { openPullsAt, type PullRequest } from './pulls.ts'

/** The short form of the open pull requests of a commit, inside checks and workflow runs. */
export function pullLinks(box: Box, repo: RepositoryDocument, sha: string) {
  return openPullsAt(box.store, repo.id, sha).map((pull) => pullLink(box, repo, pull))
}

function pullLink(box: Box, repo: RepositoryDocument, pull: PullRequest) {
  const url = repoApiUrl(box, repo)
  const short = { id: repo.id, url, name: repo.name }
  return {
    id: pull.id,
    number: pull.number,
    url: `${url}/pulls/${pull.number}`,
    head: { ref: pull.head.ref, sha: pull.head.sha, repo: short },
    base: { ref: pull.base.ref, sha: pull.base.sha, repo: short },
  }
}
