import { countValues } from '../../core/count-values.ts'
import type { CampaignConfig, ConfigFile } from '../campaign-config.ts'
import { resolveCampaign } from '../resolve.ts'
import { campaignSchema, fileSchema, MAX_CAMPAIGNS } from '../schema/campaign.ts'
import { type Complaint, explainIssue } from './explain.ts'
import { CAMPAIGN_JSON_SCHEMA, FILE_JSON_SCHEMA } from './json-schema.ts'
import { comesFromOverride, findValue, isMapping, type Mapping, mergeLayers, type Path } from './layers.ts'
import { ConfigInvalidError, type ConfigProblem, type FoundProblem, listProblems } from './problem.ts'
import { findPosition, type YamlTree } from './yaml/position.ts'
import { readYaml } from './yaml/read.ts'

/**
 * Every campaign is checked with all values that it shares, so a file costs its size times its campaigns, and an alias
 * costs its target. Far more than any config has.
 */
const MAX_VALUES = 20_000

const TOO_MANY: Complaint = {
  path: ['campaigns'],
  at: 'key',
  message: 'expands to too many values',
  explain: () => 'Shared values count once for each campaign. Share fewer values, or name fewer campaigns.',
}

/** No known key is near as long. A hostile one must not fill a report. */
const MAX_KEY_CHARACTERS = 100

/** Parses the text of a `.loreley.yml`; throws `config-invalid` with its problems. */
export function parseConfig(text: string, file: string): ConfigFile {
  const { campaigns, problems } = checkConfig(text)
  if (problems.length > 0) throw new ConfigInvalidError(file, problems)
  return { campaigns }
}

/** The problems of a config's text, in text order. An empty list means that it can be used. */
export function findConfigProblems(text: string): readonly ConfigProblem[] {
  return checkConfig(text).problems
}

interface Checked {
  readonly campaigns: ReadonlyMap<string, CampaignConfig>
  readonly problems: readonly ConfigProblem[]
}

function checkConfig(text: string): Checked {
  const read = readYaml(text)
  if (read.status === 'unreadable') return { campaigns: new Map(), problems: listProblems(read.problems) }
  const { version: _version, campaigns: named, ...shared } = read.tree.value
  const layers = layersOf(named)
  if (
    countValues(named, MAX_VALUES) + countValues(shared, MAX_VALUES) * Math.max(1, layers.length) >
    MAX_VALUES
  )
    return { campaigns: new Map(), problems: listProblems([toProblem(read.tree, TOO_MANY, TOO_MANY)]) }
  const campaigns = new Map<string, CampaignConfig>()
  const problems = findFileProblems(read.tree, shared)
  for (const layer of layers) {
    const value = mergeLayers(shared, layer.override)
    const result = campaignSchema.safeParse(value)
    if (result.success) campaigns.set(layer.name, resolveCampaign(layer.name, result.data))
    for (const issue of result.error?.issues ?? []) {
      const schema = layer.path.length === 0 ? FILE_JSON_SCHEMA : CAMPAIGN_JSON_SCHEMA
      for (const complaint of explainIssue(issue, { value, schema })) {
        const home = findHome(complaint.path, { value, shared, layer })
        problems.push(toProblem(read.tree, complaint, home))
      }
    }
  }
  return { campaigns, problems: listProblems(problems) }
}

/**
 * Problems that belong to no single campaign: the file's own keys, and shared values even if all campaigns override
 * them.
 */
function findFileProblems(tree: YamlTree, shared: Mapping): FoundProblem[] {
  const fileIssues = fileSchema.safeParse(tree.value).error?.issues ?? []
  const sharedIssues = 'campaigns' in tree.value ? (campaignSchema.safeParse(shared).error?.issues ?? []) : []
  const complaints = [...fileIssues, ...sharedIssues].flatMap((issue) =>
    explainIssue(issue, { value: tree.value, schema: FILE_JSON_SCHEMA }),
  )
  return complaints.filter(({ path }) => !mayComeLater(tree.value, path)).map((it) => toProblem(tree, it, it))
}

// Campaigns can fill in missing keys, but not inside lists, which they replace as a whole.
function mayComeLater(value: Mapping, path: Path): boolean {
  return findValue(value, path) === undefined && path.every((step) => typeof step === 'string')
}

interface Layer {
  readonly name: string
  /** Where the override is in the file; the root if there is none. */
  readonly path: Path
  readonly override: Mapping
}

function layersOf(named: unknown): readonly Layer[] {
  if (named === undefined) return [{ name: 'default', path: [], override: {} }]
  if (!isMapping(named)) return []
  return Object.entries(named)
    .slice(0, MAX_CAMPAIGNS)
    .flatMap(([name, override]) =>
      isMapping(override) ? [{ name, path: ['campaigns', name], override }] : [],
    )
}

interface Merged {
  readonly value: Mapping
  readonly shared: Mapping
  readonly layer: Layer
}

/** Where in the file a merged value was written, or would have been. */
function findHome(path: Path, { value, shared, layer }: Merged): { readonly path: Path } {
  let there = path
  while (there.length > 0 && findValue(value, there) === undefined) there = there.slice(0, -1)
  return { path: comesFromOverride(shared, layer.override, there) ? [...layer.path, ...path] : path }
}

function toProblem(
  tree: YamlTree,
  { at, message, explain }: Complaint,
  { path }: { readonly path: Path },
): FoundProblem {
  return { path: renderPath(path), ...findPosition(tree, path, at), message, explain }
}

function renderPath(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${shorten(step)}`))
    .join('')
    .replace(/^\./, '')
}

function shorten(key: string): string {
  return key.length > MAX_KEY_CHARACTERS ? `${key.slice(0, MAX_KEY_CHARACTERS)}…` : key
}
