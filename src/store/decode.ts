import * as z from 'zod'
import type { Archive } from '../core/archive.ts'
import type { CampaignState, LedgerEntry } from '../core/campaign.ts'
import { GridArchive } from '../core/grid.ts'
import { LoreleyError } from '../errors.ts'
import { archive, campaign } from '../protocol/campaign.ts'
import { configDocument } from '../protocol/config-document.ts'
import { job } from '../protocol/job.ts'
import { ledgerEntry } from '../protocol/ledger-entry.ts'
import { SCHEMA_VERSION } from './encode.ts'
import { SHARD_LINES } from './layout.ts'
import type { StoredCampaign } from './state-store.ts'

/** Document texts by path below the campaign's folder. */
type Documents = ReadonlyMap<string, string>

/** A campaign from its documents; `shard` is the number of the ledger file among them. */
export function decodeCampaign(folder: string, documents: Documents, shard: number): StoredCampaign {
  const read = <T>(path: string, schema: z.ZodType<T>): T => decode(folder, path, documents.get(path), schema)
  const config = read('config.json', configDocument)
  const jobs = [...documents.keys()].filter((path) => path.startsWith('jobs/')).map((path) => read(path, job))
  const ledgerPath = [...documents.keys()].find((path) => path.startsWith('ledger/'))
  const tail =
    ledgerPath === undefined ? [] : decodeLedger(folder, ledgerPath, documents.get(ledgerPath) ?? '')
  const state: CampaignState = {
    config,
    campaign: read('campaign.json', campaign),
    archive: createArchive(read('archive.json', archive), config.objectives),
    jobs: new Map(jobs.map((each) => [each.ordinal, each])),
    ledger: { count: shard * SHARD_LINES + tail.length, tail },
    trees: new Map(),
  }
  return { state, config }
}

function createArchive(
  document: z.infer<typeof archive>,
  objectives: CampaignState['config']['objectives'],
): Archive {
  const members = Object.entries(document.islands.main).flatMap(([cell, elites]) =>
    elites.map((elite) => ({ cell, elite })),
  )
  return new GridArchive(document.shape, objectives, members)
}

/** The lines of one ledger file. */
export function decodeLedger(folder: string, path: string, text: string): LedgerEntry[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line, index) => decode(folder, `${path}:${index + 1}`, line, ledgerEntry))
}

/** Which candidate had each tree first, from one part of the index. */
export function decodeTrees(folder: string, path: string, text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [, tree, ordinal] = /^([0-9a-f]{40,64}) (\d+)$/.exec(line) ?? []
        if (tree === undefined)
          throw corrupt(folder, path, `the line "${line.slice(0, 80)}" is not a tree and an ordinal`)
        return [tree, Number(ordinal)]
      }),
  )
}

function decode<T>(folder: string, path: string, text: string | undefined, schema: z.ZodType<T>): T {
  if (text === undefined) throw corrupt(folder, path, 'the file is missing')
  const { schema: version, ...content } = parseObject(folder, path, text)
  if (typeof version === 'number' && version > SCHEMA_VERSION) throw newer(folder, path, version)
  if (version !== SCHEMA_VERSION) throw corrupt(folder, path, 'it has no schema version')
  const result = schema.safeParse(content)
  if (result.success) return result.data
  throw corrupt(folder, path, z.prettifyError(result.error).replaceAll(/\s*\n\s*/g, ' '))
}

function parseObject(folder: string, path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (error) {
    throw corrupt(folder, path, 'it is not JSON', error)
  }
  throw corrupt(folder, path, 'it is not a JSON object')
}

function corrupt(folder: string, path: string, detail: string, cause?: unknown): LoreleyError {
  return new LoreleyError(
    'state-corrupt',
    `loreley/state:${folder}/${path} cannot be used: ${detail}.`,
    'Nothing was changed. See who changed it with `git log -p loreley/state`; go back to a good commit with `git branch -f loreley/state <commit>`.',
    cause,
  )
}

function newer(folder: string, path: string, version: number): LoreleyError {
  return new LoreleyError(
    'state-newer',
    `loreley/state:${folder}/${path} has schema ${version}; this Loreley knows ${SCHEMA_VERSION}.`,
    'Nothing was changed. A newer Loreley wrote it: update this one.',
  )
}
