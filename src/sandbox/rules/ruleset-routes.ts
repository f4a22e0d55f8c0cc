import { byActor, rightsOf } from '../access/sender.ts'
import type { Box, Family, RepoCall } from '../box.ts'
import { isoTime, nodeId } from '../format.ts'
import { ApiError, notFound, validationFailed } from '../http/errors.ts'
import type { Fields } from '../http/fields.ts'
import { created, list, noContent, ok, type Reply } from '../http/reply.ts'
import { repoRoute } from '../http/route.ts'
import { repoApiUrl, repoHtmlUrl } from '../repos/repository-view.ts'
import type { RepositoryDocument } from '../state/documents.ts'
import { emit } from '../webhooks/emit.ts'
import {
  type BypassActor,
  bypassOf,
  type Rule,
  type Ruleset,
  rulesets,
  rulesetsFor,
  rulesetsOf,
} from './rulesets.ts'

const RULESET = '/repos/{owner}/{repo}/rulesets/{ruleset_id}'
const READ = { metadata: 'read' } as const
const WRITE = { administration: 'write' } as const

/** Rulesets, and the rules that apply to a branch. */
export const rulesetsFamily: Family = {
  routes: [
    repoRoute('GET /repos/{owner}/{repo}/rules/branches/{branch}', READ, listBranchRules),
    repoRoute('GET /repos/{owner}/{repo}/rulesets', READ, listRulesets),
    repoRoute('POST /repos/{owner}/{repo}/rulesets', WRITE, create),
    repoRoute(`GET ${RULESET}`, READ, (call) => ok(view(call, getRuleset(call)))),
    repoRoute(`PUT ${RULESET}`, WRITE, update),
    repoRoute(`DELETE ${RULESET}`, WRITE, remove),
    // Classic branch protection is not supported. Rulesets replace it.
    repoRoute(
      'GET /repos/{owner}/{repo}/branches/{branch}/protection',
      { needs: { administration: 'read' }, role: 'admin' },
      getProtection,
    ),
  ],
}

// The branch need not exist: the answer lists the rules that would apply.
async function listBranchRules(call: RepoCall): Promise<Reply> {
  const found = rulesetsFor(call.box, call.repo, `refs/heads/${call.path.text('branch')}`)
  const rules = found.flatMap((ruleset) => ruleset.rules.map((rule) => ({ rule, id: ruleset.id })))
  return await list(call, rules, ({ rule, id }) => ({
    ...rule,
    ruleset_source_type: 'Repository',
    ruleset_source: `${call.repo.owner}/${call.repo.name}`,
    ruleset_id: id,
  }))
}

async function getProtection(call: RepoCall): Promise<Reply> {
  const branch = await call.git.find(`refs/heads/${call.path.text('branch')}`)
  throw new ApiError(404, branch === undefined ? 'Branch not found' : 'Branch not protected')
}

function getRuleset(call: RepoCall): Ruleset {
  const found = rulesets(call.box.store).find(call.path.number('ruleset_id'))
  if (found === undefined || found.repositoryId !== call.repo.id) throw notFound()
  return found
}

async function listRulesets(call: RepoCall): Promise<Reply> {
  const targets = call.query.findText('targets')?.split(',')
  const found = rulesetsOf(call.box, call.repo).filter(({ target }) => targets?.includes(target) ?? true)
  return await list(call, found, (ruleset) => shortView(call.box, call.repo, ruleset))
}

async function create(call: RepoCall): Promise<Reply> {
  const { box, repo, body } = call
  const now = isoTime(box.now())
  const blank: Ruleset = {
    id: box.store.next('rulesets') + 20_000,
    repositoryId: repo.id,
    name: '',
    target: 'branch',
    enforcement: 'disabled',
    bypassActors: [],
    include: [],
    exclude: [],
    rules: [],
    createdAt: now,
    updatedAt: now,
  }
  const ruleset = save(call, { ...blank, ...readChanges(body) })
  await emitEvent(call, 'created', ruleset)
  return created(view(call, ruleset))
}

async function update(call: RepoCall): Promise<Reply> {
  const ruleset = save(call, { ...getRuleset(call), ...readChanges(call.body) })
  await emitEvent(call, 'edited', ruleset)
  return ok(view(call, ruleset))
}

async function remove(call: RepoCall): Promise<Reply> {
  const ruleset = getRuleset(call)
  rulesets(call.box.store).remove(ruleset.id)
  await emitEvent(call, 'deleted', ruleset)
  return noContent()
}

function save(call: RepoCall, ruleset: Ruleset): Ruleset {
  const others = rulesetsOf(call.box, call.repo).filter(({ id }) => id !== ruleset.id)
  if (others.some(({ name }) => name === ruleset.name)) {
    throw validationFailed({ resource: 'RepositoryRuleset', field: 'name', code: 'already_exists' })
  }
  return rulesets(call.box.store).put(ruleset.id, { ...ruleset, updatedAt: isoTime(call.box.now()) })
}

function readChanges(body: Fields): Partial<Ruleset> {
  const text = (name: 'name' | 'target' | 'enforcement') => {
    const value = body.findText(name)
    return value === undefined ? {} : { [name]: value }
  }
  const names = body.findObject('conditions')?.findObject('ref_name')
  return {
    ...text('name'),
    ...text('target'),
    ...text('enforcement'),
    ...(body.has('bypass_actors') ? { bypassActors: body.objects('bypass_actors').map(readActor) } : {}),
    ...(body.has('conditions')
      ? { include: names?.findTexts('include') ?? [], exclude: names?.findTexts('exclude') ?? [] }
      : {}),
    ...(body.has('rules') ? { rules: body.objects('rules').map(readRule) } : {}),
  }
}

function readActor(fields: Fields): BypassActor {
  return {
    actor_id: fields.findNumber('actor_id') ?? null,
    actor_type: fields.text('actor_type'),
    bypass_mode: fields.findText('bypass_mode') ?? 'always',
  }
}

function readRule(fields: Fields): Rule {
  const parameters = fields.findObject('parameters')?.toJson()
  return { type: fields.text('type'), ...(parameters === undefined ? {} : { parameters }) }
}

async function emitEvent(call: RepoCall, action: string, ruleset: Ruleset): Promise<void> {
  const payload = { action, repository_ruleset: fullView(call.box, call.repo, ruleset) }
  await emit(call.box, { name: 'repository_ruleset', payload, repo: call.repo, ...byActor(call) })
}

function view(call: RepoCall, ruleset: Ruleset) {
  const full = fullView(call.box, call.repo, ruleset)
  if (call.actor.kind === 'anonymous') return full
  const mover = { sender: call.actor.user, ...rightsOf(call.actor) }
  return { ...full, current_user_can_bypass: bypassOf(call.repo, ruleset, mover) }
}

function fullView(box: Box, repo: RepositoryDocument, ruleset: Ruleset) {
  return {
    ...shortView(box, repo, ruleset),
    bypass_actors: ruleset.bypassActors,
    conditions: { ref_name: { include: ruleset.include, exclude: ruleset.exclude } },
    rules: ruleset.rules,
  }
}

function shortView(box: Box, repo: RepositoryDocument, ruleset: Ruleset) {
  return {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: 'Repository',
    source: `${repo.owner}/${repo.name}`,
    enforcement: ruleset.enforcement,
    node_id: nodeId('RRS', ruleset.id),
    _links: {
      self: { href: `${repoApiUrl(box, repo)}/rulesets/${ruleset.id}` },
      html: { href: `${repoHtmlUrl(box, repo)}/rules/${ruleset.id}` },
    },
    created_at: ruleset.createdAt,
    updated_at: ruleset.updatedAt,
  }
}
