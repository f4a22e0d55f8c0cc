import pc from 'picocolors'
import { findBest } from '../../core/archive/archive.ts'
import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { LedgerEntry } from '../../core/campaign/ledger.ts'
import { candidateId } from '../../core/candidate/candidate-id.ts'
import { escapeHidden } from '../../core/hidden-characters.ts'
import { relativeGain } from '../../core/measuring/objective.ts'
import type { UsedIsolation } from '../../core/measuring/provenance.ts'
import type { RunReporter } from '../../local/run-request.ts'
import { renderCampaignText } from '../../reports/campaign/campaign-text.ts'
import { renderVerdict } from '../../reports/candidate/candidate-text.ts'
import { renderIsolation } from '../../reports/candidate/isolation-text.ts'
import { renderCount, renderGain, renderNumber } from '../../reports/numbers.ts'
import type { Snapshot } from '../../store/state-store.ts'
import { summarise } from './commands/status.ts'
import { print, printError, printJson } from './print.ts'

export interface SummarisingReporter extends RunReporter {
  summarise(snapshot: Snapshot): void
}

/** Reports the progress of a run: JSON lines, a live line on a terminal, or plain lines. */
export function createReporter(json: boolean): SummarisingReporter {
  if (json) return jsonReporter()
  return process.stdout.isTTY ? liveReporter() : plainReporter()
}

function jsonReporter(): SummarisingReporter {
  return {
    started: ({ state }, isNew, isolation) => {
      const { id, root } = state.campaign
      printJson({ type: 'started', campaign: id, isNew, root: root.commit, isolation })
    },
    finished: (entry) => printJson({ type: 'candidate', ...entry }),
    warned: printError,
    summarise: ({ state }) => printJson({ type: 'summary', ...summarise(state) }),
  }
}

function plainReporter(): SummarisingReporter {
  return {
    started: announce,
    finished: (entry, state) => print(renderLine(entry, state)),
    warned: (message) => printError(`warning: ${message}`),
    summarise: ({ state }) => print(`\n${renderCampaignText(state)}`),
  }
}

// One line that is overwritten, and a permanent line for each new best.
function liveReporter(): SummarisingReporter {
  const startedAt = performance.now()
  let count = 0
  let best: number | undefined
  const clear = (): void => void process.stdout.write('\r\u001b[K')
  return {
    started: announce,
    finished: (entry, state) => {
      count += 1
      const ahead = findBest(state.archive, state.config.objectives)?.ordinal
      clear()
      if (ahead === entry.ordinal && ahead !== best) print(renderLine(entry, state))
      best = ahead
      const pace = (count / ((performance.now() - startedAt) / 1000)).toFixed(1)
      process.stdout.write(pc.dim(`${renderProgress(state)} · ${pace}/s`))
    },
    warned: (message) => {
      clear()
      console.error(pc.yellow(escapeHidden(message)))
    },
    summarise: ({ state }) => {
      clear()
      print(`\n${renderCampaignText(state)}`)
    },
  }
}

function announce({ state }: Snapshot, isNew: boolean, isolation: UsedIsolation): void {
  const { campaign, config } = state
  const root = campaign.root.commit.slice(0, 10)
  console.log(
    isNew
      ? `Campaign ${campaign.id} starts at ${root}: policy ${config.search.policy}, seed ${config.search.seed}, ${config.limits.candidates} candidates.`
      : `Campaign ${campaign.id} continues from root ${root} after ${renderCount(campaign.finished, 'candidate')}.`,
  )
  console.log(`Isolation of candidate code: ${renderIsolation(isolation)}.`)
}

function renderLine(entry: LedgerEntry, state: CampaignState): string {
  const { campaign, config } = state
  const metric = config.objectives[0]?.metric ?? ''
  const value = entry.metrics?.[metric]
  const gain =
    value !== undefined && campaign.baseline
      ? relativeGain([value], campaign.baseline.value, config.objectives)
      : undefined
  const figures =
    value === undefined
      ? ''
      : ` ${metric} ${renderNumber(value)}${entry.ordinal === 0 ? '' : ` (${renderGain(gain)})`}`
  const verdict = renderVerdict(entry.verdict).replaceAll(/\s+/g, ' ').slice(0, 120)
  return `${candidateId(campaign.id, entry.ordinal)}${figures} ${verdict}${entry.summary ? ` · ${entry.summary}` : ''}`
}

function renderProgress(state: CampaignState): string {
  const { campaign, config, archive } = state
  const best = findBest(archive, config.objectives)
  const gain =
    best && campaign.baseline
      ? relativeGain(best.value, campaign.baseline.value, config.objectives)
      : undefined
  const nichesFilled = new Set(archive.members().map(({ island, cell }) => `${island}/${cell}`)).size
  return `${campaign.finished}/${config.limits.candidates} candidates · best ${renderGain(gain)} · ${nichesFilled}/${archive.cellCount} niches`
}
