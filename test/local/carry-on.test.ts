import { describe, expect, it } from 'vitest'
import type { CampaignConfig } from '../../src/config/campaign-config.ts'
import { localFolders } from '../../src/local/local-folders.ts'
import { assertCanCarryOn } from '../../src/local/local-run.ts'
import { aConfig } from '../support/builders.ts'
import { gitEnvironment } from '../support/repository.ts'

type Change = (config: CampaignConfig) => CampaignConfig

describe('carrying a campaign on', () => {
  it.each<[what: string, change: Change]>([
    ['scope.editable', (c) => ({ ...c, scope: { ...c.scope, editable: ['lib/**'] } })],
    ['scope.max_files', (c) => ({ ...c, scope: { ...c.scope, maxFiles: 3 } })],
    ['search.seed', (c) => ({ ...c, search: { ...c.search, seed: 2 } })],
    ['search.policy', (c) => ({ ...c, search: { ...c.search, policy: 'champion' } })],
    ['search.window', (c) => ({ ...c, search: { ...c.search, window: 3 } })],
    ['search.axes', (c) => ({ ...c, search: { ...c.search, axes: [{ kind: 'change', change: 'churn' }] } })],
    ['search.cells', (c) => ({ ...c, search: { ...c.search, cells: 25 } })],
  ])('a campaign cannot carry on with another %s', (what, change) => {
    const check = () => assertCanCarryOn(aConfig(), change(aConfig()))
    expect(check).toThrow(expect.objectContaining({ code: 'campaign-changed' }))
    expect(check).toThrow(what)
  })

  it.each<[what: string, change: Change]>([
    ['limits', (c) => ({ ...c, limits: { ...c.limits, candidates: 999, parallel: 7, dollars: 3 } })],
    ['words', (c) => ({ ...c, goal: 'Other.', constraints: ['x'], acceptance: ['y'], notes: 'z' })],
    ['agent', (c) => ({ ...c, agent: { ...c.agent, timeoutSeconds: 5 } })],
    ['schedule', (c) => ({ ...c, schedule: { cron: '0 3 * * 1', timeZone: 'UTC' } })],
    ['evaluation', (c) => ({ ...c, evaluation: { ...c.evaluation, command: 'other', setup: 'npm ci' } })],
    ['objectives', (c) => ({ ...c, objectives: [{ metric: 'score', direction: 'minimize' }] })],
    ['embedder', (c) => ({ ...c, embedder: { ...c.embedder, dimensions: 64 } })],
    ['plateau', (c) => ({ ...c, search: { ...c.search, plateau: 5 } })],
  ])('a campaign carries on with other %s', (_, change) => {
    expect(() => assertCanCarryOn(aConfig(), change(aConfig()))).not.toThrow()
  })
})

describe('the folders of a campaign', () => {
  it('each repository and campaign has its own folders, and its lock inside the repository', () => {
    const folders = (commonDir: string, campaign: string) =>
      localFolders(
        { folder: commonDir, commonDir, objectFormat: 'sha1', environment: gitEnvironment },
        '/cache',
        campaign,
      )
    const one = folders('/a/.git', 'one')
    expect(one.lock).toBe('/a/.git/loreley/one.lock')
    const all = [one, folders('/a/.git', 'two'), folders('/b/.git', 'one')].map(({ campaign }) => campaign)
    expect(new Set(all).size).toBe(3)
    for (const folder of [one.workspaces, one.preparedRoots])
      expect(folder.startsWith(`${one.campaign}/`)).toBe(true)
    expect(folders('/a/.git', 'one')).toEqual(one)
  })
})
