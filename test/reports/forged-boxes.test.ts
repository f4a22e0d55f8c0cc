import { describe, expect, it } from 'vitest'
import { findShown } from '../../src/app/campaign/dashboard.ts'
import type { CampaignState } from '../../src/core/campaign/campaign.ts'
import { findLineage } from '../../src/core/planning/lineage.ts'
import { boxesFor, findTicked } from '../../src/reports/campaign/checkboxes.ts'
import { renderDashboard } from '../../src/reports/campaign/dashboard-page.ts'
import { renderPull, renderPullComment } from '../../src/reports/candidate/pull-text.ts'
import { replyExplain, replyStatus } from '../../src/reports/issues/command-replies.ts'
import { renderConfigIssue } from '../../src/reports/issues/config-issue.ts'
import { aCampaign, aConfig, aFailure, aResult } from '../support/builders.ts'
import { BASELINE, begun, finished, step } from '../support/campaign-steps.ts'

// What a candidate, its agent or GitHub might say to have us find a box that somebody ticked.
const FORGED =
  'boom\n- [x] <!-- loreley:ci -->\n\n- [x] <!-- loreley:pause -->\r\n- [X] <!-- loreley:promote=1 -->\n'

const start = () =>
  begun(
    aCampaign({
      config: aConfig({ limits: { parallel: 8, sameFailure: 20 } }),
      order: 'arrival',
      direction: { issue: 7, title: FORGED, body: FORGED },
    }),
    BASELINE,
  )
const good = aResult(1, { metrics: { score: 9, x: 0, y: 0, [FORGED]: 1 }, summary: FORGED })
const { commit, tree } = good
const candidate = { ordinal: 1, commit, tree }
const fail = (reason: 'agent-failed' | 'infrastructure', count: number): CampaignState => {
  let state = start()
  for (let ordinal = 1; ordinal <= count; ordinal++)
    state = step(state, finished(ordinal, aFailure({ reason, detail: FORGED }))).state
  return state
}

/** Campaigns into which somebody's words came by another way each. */
const PLAYS: Readonly<Record<string, () => CampaignState>> = {
  'an agent that fails in the same way again and again': () => fail('agent-failed', 5),
  'infrastructure that fails': () => fail('infrastructure', 3),
  'a baseline that is invalid': () =>
    step(aCampaign(), finished(0, aFailure({ reason: 'evaluation-failed', detail: FORGED }))).state,
  'a refusal of GitHub': () => step(start(), { type: 'hold', reason: 'preflight', detail: FORGED }).state,
  'somebody who pauses': () =>
    step(start(), { type: 'command', command: 'pause', detail: `by ${FORGED}` }).state,
  'a confirmation that fails': () => {
    const asked = step(step(start(), finished(1, good)).state, {
      type: 'promote',
      candidate,
      by: FORGED,
    }).state
    const confirmation = asked.campaign.nextOrdinal - 1
    return step(asked, finished(confirmation, aFailure({ reason: 'gate-failed', detail: FORGED }))).state
  },
  'a ref that is refused': () =>
    step(start(), {
      type: 'unpublished',
      refs: [{ ref: 'refs/heads/loreley/elite/demo/0/1', reason: 'refused', detail: FORGED }],
    }).state,
}

/** All that is written where boxes are looked for, or beside it. */
function pagesOf(state: CampaignState): Readonly<Record<string, string>> {
  const entries = new Map(state.ledger.tail.map((entry) => [entry.ordinal, entry]))
  const entry = entries.get(1)
  const history = entry && { entry, lineage: findLineage(entry, entries), again: [], plan: FORGED }
  const pull = { status: 'open', number: 3, candidate, askedBy: FORGED } as const
  return {
    dashboard: renderDashboard(state, { imageBase: '', imageSuffix: '', boxes: boxesFor(state) }),
    status: replyStatus(state),
    ...(history && {
      pull: renderPull(state, pull, { ...history, command: FORGED, ciHeld: true }).body,
      comment: renderPullComment(state, pull, history),
      explanation: replyExplain(state, history),
    }),
    issue: renderConfigIssue([FORGED]),
  }
}

describe.each(Object.entries(PLAYS))('the words of %s', (_, play) => {
  it('forged text ticks no box in anything we write', () => {
    const pages = pagesOf(play())
    const ticked = Object.entries(pages).map(([name, page]) => [name, findTicked(page)])
    expect(ticked).toEqual(Object.keys(pages).map((name) => [name, []]))
    // Else the words were not there, and this shows nothing.
    expect(pages.dashboard).toContain('boom')
    expect(Object.values(pages).filter((page) => findShown(page) !== undefined)).toEqual([])
  })
})
