import { parse } from 'yaml'
import * as z from 'zod'
import type { CampaignConfig } from '../../protocol/config-document.ts'
import { type EliteNamespace, eliteRef, SOME_NICHE } from '../../store/layout.ts'
import type { RepositoryApi } from '../api/repository-api.ts'
import type { BaseTrees } from '../git/base-trees.ts'
import { BlobTexts } from '../git/blob-texts.ts'
import { type Finding, fine } from './finding.ts'
import { findRules, HARMLESS_RULES } from './rules.ts'

/** The campaign to choose a namespace for. */
export interface NamespaceQuestion {
  readonly campaign: string
  readonly root: { readonly commit: string; readonly tree: string }
}

/** The best namespace for a campaign's elites, and why they are not branches. */
export interface NamespaceAdvice {
  readonly namespace: EliteNamespace
  readonly reasons: readonly string[]
}

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/
const BRANCH_WATCHERS: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^(vercel|now)\.json$/, 'Vercel deploys every branch'],
  [/^Jenkinsfile$/, 'Jenkins may build every branch'],
]

const VERCEL_APP = 'vercel'

const suites = z.object({
  check_suites: z.array(z.object({ app: z.object({ slug: z.string() }).nullish() })),
})
const triggers = z.union([
  z.string().transform((name) => [name]),
  z.array(z.string()),
  z.record(z.string(), z.unknown()).transform((events) => Object.keys(events)),
])

/**
 * What `archive.refs: auto` means for a repository: branches, unless they would be refused or trigger something that
 * `[skip ci]` does not stop.
 */
export async function adviseEliteNamespace(
  api: RepositoryApi,
  trees: BaseTrees,
  { campaign, root }: NamespaceQuestion,
): Promise<NamespaceAdvice> {
  const files = await trees.filesNear(root.tree, ['.github/workflows/any'])
  const named = BRANCH_WATCHERS.flatMap(([path, reason]) =>
    files.some((file) => path.test(file.path)) ? [reason] : [],
  )
  const watchers = named.length === 0 ? await findVercel(api, root.commit) : named
  const workflows = files.filter((file) => WORKFLOW.test(file.path))
  const texts = await new BlobTexts(api).read(workflows.map(({ id }) => id))
  const started = workflows.flatMap(({ path, id }) =>
    startsOnCreate(texts.get(id) ?? '') ? [`${path} runs when a branch is created or deleted`] : [],
  )
  const branch = eliteRef(campaign, SOME_NICHE).slice('refs/heads/'.length)
  // If GitHub does not say, we try branches: a refused one is recorded as unpublished.
  const rules = ((await findRules(api, branch)) ?? []).filter((type) => !HARMLESS_RULES.has(type))
  const refused = rules.length === 0 ? [] : [`rulesets apply to \`${branch}\` (${rules.join(', ')})`]
  const reasons = [...watchers, ...started, ...refused]
  return { namespace: reasons.length === 0 ? 'branches' : 'hidden', reasons }
}

// Most Vercel projects have no config file, but GitHub opens a check suite for each App that writes checks.
async function findVercel(api: RepositoryApi, commit: string): Promise<readonly string[]> {
  const { check_suites: found } = await api.get({
    route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-suites',
    parameters: { ref: commit, per_page: 100 },
    answer: suites,
    priority: 'state',
  })
  return found.some(({ app }) => app?.slug === VERCEL_APP) ? ['the Vercel app deploys every branch'] : []
}

function startsOnCreate(workflow: string): boolean {
  const on = triggers.safeParse(Object(tryParse(workflow)).on)
  return on.success && on.data.some((event) => event === 'create' || event === 'delete')
}

function tryParse(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' })
  } catch {
    // A file that is not YAML triggers nothing.
    return undefined
  }
}

type Wish = Pick<CampaignConfig, 'archive'>

/** The elite namespaces of a repository's campaigns: `archive.refs`, or the choice made for `auto`. */
export class EliteNamespaces {
  readonly #api: RepositoryApi
  readonly #trees: BaseTrees
  readonly #advice = new Map<string, NamespaceAdvice>()

  constructor(api: RepositoryApi, trees: BaseTrees) {
    this.#api = api
    this.#trees = trees
  }

  /** Checks once what acts on branches, before the first elite is published. */
  async look(question: NamespaceQuestion): Promise<NamespaceAdvice> {
    const known = this.#advice.get(question.campaign)
    const advice = known ?? (await adviseEliteNamespace(this.#api, this.#trees, question))
    this.#advice.set(question.campaign, advice)
    return advice
  }

  /** Checks again, after a refusal. */
  async lookAgain(question: NamespaceQuestion): Promise<void> {
    this.#advice.set(question.campaign, await adviseEliteNamespace(this.#api, this.#trees, question))
  }

  namespaceOf(campaign: string, { archive }: Wish): EliteNamespace {
    return archive.refs === 'auto' ? (this.#advice.get(campaign)?.namespace ?? 'branches') : archive.refs
  }

  /** What people should know about it; undefined when elites are branches and nothing reacts to them. */
  noteOf(campaign: string, wish: Wish): string | undefined {
    const { reasons } = this.#advice.get(campaign) ?? { reasons: [] }
    return findNote(wish, reasons)
  }
}

/** Whether elites trigger nothing. */
export function checkElites(wish: Wish, { reasons }: NamespaceAdvice): Finding {
  const topic = 'elite-refs'
  const note = findNote(wish, reasons)
  if (note === undefined) return fine(topic, 'Elites are published as branches.')
  if (wish.archive.refs !== 'branches') return fine(topic, note)
  return {
    topic,
    state: 'warning',
    message: note,
    remedy: 'Set `archive.refs: auto` to publish them elsewhere.',
  }
}

const HIDDEN = 'Elites are published under `refs/loreley/elite/` instead of as branches'

function findNote({ archive }: Wish, reasons: readonly string[]): string | undefined {
  if (archive.refs === 'hidden') return `${HIDDEN}, as set in \`archive.refs\`.`
  if (reasons.length === 0) return undefined
  const why = reasons.join('; ')
  return archive.refs === 'auto'
    ? `${HIDDEN}, because ${why}.`
    : `Elites are branches, as set in \`archive.refs\`, although ${why}.`
}
