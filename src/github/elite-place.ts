import { parse } from 'yaml'
import * as z from 'zod'
import { type ElitePlace, eliteRef, SOME_NICHE } from '../store/layout.ts'
import type { BaseTrees } from './base-trees.ts'
import { BlobTexts } from './blob-texts.ts'
import { HARMLESS_RULES, readRules } from './preflight-rules.ts'
import type { RepositoryApi } from './repository-api.ts'

/** Where a campaign's elites had best stand, and why not as branches. */
export interface PlaceAdvice {
  readonly place: ElitePlace
  readonly reasons: readonly string[]
}

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/
const BRANCH_WATCHERS: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^(vercel|now)\.json$/, 'Vercel deploys every branch'],
  [/^Jenkinsfile$/, 'Jenkins may build every branch'],
]

const triggers = z.union([
  z.string().transform((name) => [name]),
  z.array(z.string()),
  z.record(z.string(), z.unknown()).transform((events) => Object.keys(events)),
])

/**
 * What `archive.refs: auto` means for a repository: branches, unless they would set something off that `[skip ci]`
 * does not stop, or be refused.
 */
export async function adviseElitePlace(
  api: RepositoryApi,
  trees: BaseTrees,
  { campaign, tree }: { readonly campaign: string; readonly tree: string },
): Promise<PlaceAdvice> {
  const files = await trees.filesNear(tree, ['.github/workflows/any'])
  const watchers = BRANCH_WATCHERS.flatMap(([path, reason]) =>
    files.some((file) => path.test(file.path)) ? [reason] : [],
  )
  const workflows = files.filter((file) => WORKFLOW.test(file.path))
  const texts = await new BlobTexts(api).read(workflows.map(({ id }) => id))
  const started = workflows.flatMap(({ path, id }) =>
    startsOnCreate(texts.get(id) ?? '') ? [`${path} runs when a branch is created or deleted`] : [],
  )
  const branch = eliteRef(campaign, SOME_NICHE).slice('refs/heads/'.length)
  const rules = (await readRules(api, branch)).filter((type) => !HARMLESS_RULES.has(type))
  const refused = rules.length === 0 ? [] : [`rulesets hold for \`${branch}\` (${rules.join(', ')})`]
  const reasons = [...watchers, ...started, ...refused]
  return { place: reasons.length === 0 ? 'branches' : 'hidden', reasons }
}

function startsOnCreate(workflow: string): boolean {
  const on = triggers.safeParse(Object(tryParse(workflow)).on)
  return on.success && on.data.some((event) => event === 'create' || event === 'delete')
}

function tryParse(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' })
  } catch {
    // A file that is no YAML starts nothing.
    return undefined
  }
}
