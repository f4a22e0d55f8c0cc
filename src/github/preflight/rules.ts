import * as z from 'zod'
import { pullRef, runnerRef, STATE_REF } from '../../store/layout.ts'
import { expectDone } from '../api/api-client.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import { type Finding, fine } from './finding.ts'

const ruleList = z.array(z.object({ type: z.string(), ruleset_id: z.number().nullish() }))

/** What each kind of rule would refuse. Other kinds do not affect us. */
const MEANING: Readonly<Record<string, string>> = {
  creation: 'creating branches',
  update: 'moving branches',
  deletion: 'deleting branches',
  non_fast_forward: 'replacing an elite (a forced update)',
  required_signatures: 'commits without a signature',
  required_linear_history: 'merge commits',
  pull_request: 'moving branches without a pull request',
  required_status_checks: 'moving branches before checks have passed',
  required_deployments: 'moving branches before deployments',
  merge_queue: 'moving branches outside the merge queue',
  branch_name_pattern: 'branch names such as ours',
  commit_message_pattern: 'commit messages such as ours',
  commit_author_email_pattern: 'the App’s e-mail address',
  committer_email_pattern: 'GitHub’s e-mail address',
  file_path_restriction: 'some paths',
  max_file_size: 'large files',
  max_file_path_length: 'long paths',
  file_extension_restriction: 'some kinds of files',
}

/** GitHub signs commits of an App, and ours have one parent. */
export const HARMLESS_RULES: ReadonlySet<string> = new Set(['required_signatures', 'required_linear_history'])
// These do not affect a branch that only moves forward and is never deleted.
const HARMLESS_FORWARD = new Set([...HARMLESS_RULES, 'deletion', 'non_fast_forward'])

/**
 * The rules that apply to our branches. GitHub does not tell an App whether it may bypass them, so these are warnings:
 * the first state commit is the proof, and reports GitHub's message. For elites see elite-namespace.ts.
 */
export async function checkRules(api: RepositoryApi, campaign: string): Promise<readonly Finding[]> {
  const branches = [
    { ref: STATE_REF, harmless: HARMLESS_FORWARD },
    { ref: runnerRef(campaign), harmless: HARMLESS_FORWARD },
    { ref: pullRef(campaign, 1), harmless: HARMLESS_RULES },
  ]
  const findings: Finding[] = []
  for (const { ref, harmless } of branches) {
    const branch = ref.slice('refs/heads/'.length)
    const rules = await findRules(api, branch)
    if (rules === undefined) return [UNREADABLE]
    const met = rules.filter((type) => type in MEANING && !harmless.has(type))
    if (met.length > 0) findings.push(warn(branch, met))
  }
  return findings.length > 0
    ? findings
    : [fine('rules', 'No ruleset applies to the branches under `loreley/`.')]
}

// Private repositories of free accounts have no rulesets: GitHub answers 403.
const UNTOLD: readonly number[] = [403, 404]

const UNREADABLE: Finding = {
  topic: 'rules',
  state: 'warning',
  message: 'GitHub does not reveal the rulesets for branches under `loreley/`.',
  remedy:
    'If the plan has no rulesets, as with private repositories of free accounts, there is nothing to do. Otherwise exclude `loreley/**` from the rulesets, or let the App bypass them.',
}

/** The kinds of rules that apply to a branch, whether or not it exists; undefined if GitHub does not say. */
export async function findRules(api: RepositoryApi, branch: string): Promise<readonly string[] | undefined> {
  const route = 'GET /repos/{owner}/{repo}/rules/branches/{branch}'
  const outcome = await api.ask({
    route,
    parameters: { branch, per_page: 100 },
    answer: ruleList,
    priority: 'state',
    polled: true,
  })
  if (outcome.status === 'refused' && UNTOLD.includes(outcome.http)) return undefined
  return [...new Set(expectDone(route, outcome).map(({ type }) => type))]
}

function warn(branch: string, met: readonly string[]): Finding {
  const said = met.map((type) => `${MEANING[type]} (\`${type}\`)`).join(', ')
  return {
    topic: 'rules',
    state: 'warning',
    message: `Rulesets that match \`${branch}\` may refuse ${said}.`,
    remedy: 'Exclude `loreley/**` from these rulesets, or let the App bypass them.',
  }
}
