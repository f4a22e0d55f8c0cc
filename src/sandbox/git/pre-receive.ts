import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { isAncestor } from '../../git/history.ts'
import type { Box } from '../box.ts'
import { Fields } from '../http/fields.ts'
import { repoHtmlUrl } from '../repos/repository-view.ts'
import { rulesetsOf } from '../rules/rulesets.ts'
import { findViolations } from '../rules/violations.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { BareRepository } from './bare-repository.ts'
import type { Mover } from './ref-move.ts'
import { WORKFLOWS_REFUSED } from './ref-moves.ts'
import { bringsWorkflows } from './workflow-guard.ts'

/**
 * git's `pre-receive` hook, which sees the pushed objects before any ref moves. It asks the sandbox to judge
 * the push, and tells it where git keeps the new objects.
 */
export const PRE_RECEIVE_HOOK = `#!/bin/sh
exec "$BOX_NODE" -e '
const [checker, objects, alternates] = process.argv.slice(1)
const updates = require("node:fs").readFileSync(0, "utf8")
fetch(checker, { method: "POST", body: JSON.stringify({ updates, objects, alternates }) })
  .then((answer) => answer.text())
  .then((refusal) => {
    process.stderr.write(refusal)
    process.exitCode = refusal === "" ? 0 : 1
  })
' "$BOX_PUSH_CHECK" "$GIT_OBJECT_DIRECTORY" "$GIT_ALTERNATE_OBJECT_DIRECTORIES"
`

export interface PushCheck {
  /** The hook's environment variables. */
  readonly environment: Readonly<Record<string, string>>
  close(): void
}

/** Starts the server that one push's hook asks. Undefined when nothing could refuse the push. */
export async function openPushCheck(
  box: Box,
  repo: RepositoryDocument,
  { git, mover }: { readonly git: BareRepository; readonly mover: Mover },
): Promise<PushCheck | undefined> {
  const guarded = box.settings.guardWorkflows && !mover.mayChangeWorkflows
  const ruled = rulesetsOf(box, repo).some(({ enforcement }) => enforcement === 'active')
  if (!guarded && !ruled) return undefined
  // Only this push knows the path.
  const path = `/${randomUUID()}`
  const server = createServer((request, response) => {
    const answer = async (): Promise<string> => {
      if (request.url !== path) return 'refused'
      return await checkPush(box, repo, { git, mover, question: parseQuestion(await text(request)) })
    }
    answer().then(
      (refusal) => response.end(refusal),
      (error: unknown) => {
        box.reportDeviation(`checking a push failed: ${String(error)}`)
        response.end('Internal Server Error\n')
      },
    )
  })
  const port = await listenLocally(server)
  const environment = { BOX_NODE: process.execPath, BOX_PUSH_CHECK: `http://127.0.0.1:${port}${path}` }
  return {
    environment,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Question {
  readonly updates: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

function parseQuestion(body: string): Question {
  const fields = new Fields(JSON.parse(body))
  const option = (name: string, value = '') => (value === '' ? {} : { [name]: value })
  return {
    updates: fields.text('updates').split('\n').filter(Boolean),
    environment: {
      ...option('GIT_OBJECT_DIRECTORY', fields.findText('objects')),
      ...option('GIT_ALTERNATE_OBJECT_DIRECTORIES', fields.findText('alternates')),
    },
  }
}

const ZERO = /^0+$/

async function checkPush(
  box: Box,
  repo: RepositoryDocument,
  { git, mover, question }: { git: BareRepository; mover: Mover; question: Question },
): Promise<string> {
  const { repository } = git
  const environment = { ...repository.environment, ...question.environment }
  const pushed = new BareRepository({ ...repository, environment })
  try {
    for (const update of question.updates) {
      const [old = '', next = '', ref = ''] = update.split(' ')
      const before = ZERO.test(old) ? undefined : old
      const after = ZERO.test(next) ? undefined : next
      const refusal = await checkUpdate(box, repo, pushed, { ref, before, after, mover })
      if (refusal !== '') return refusal
    }
    return ''
  } finally {
    await pushed.close()
  }
}

interface Update {
  readonly ref: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly mover: Mover
}

async function checkUpdate(
  box: Box,
  repo: RepositoryDocument,
  git: BareRepository,
  { ref, before, after, mover }: Update,
): Promise<string> {
  const guarded = box.settings.guardWorkflows && !mover.mayChangeWorkflows
  if (guarded && after !== undefined && (await bringsWorkflows(git, repo, { before, after }))) {
    return `${WORKFLOWS_REFUSED}\n`
  }
  const forced =
    before !== undefined && after !== undefined && !(await isAncestor(git.repository, before, after))
  const violations = await findViolations(box, repo, git, {
    ref,
    before,
    after,
    forced,
    mover,
    pullHead: undefined,
  })
  if (violations.length === 0) return ''
  return [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${repoHtmlUrl(box, repo)}/rules?ref=${encodeURIComponent(ref)}`,
    '',
    ...violations.flatMap((violation) => [`- ${violation}`, '']),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
