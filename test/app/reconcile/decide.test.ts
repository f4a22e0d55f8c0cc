import { describe, expect, it } from 'vitest'
import { decideIssue } from '../../../src/app/people/issue-watch.ts'
import { decidePulls } from '../../../src/app/pulls/pull-watch.ts'
import type { CampaignState } from '../../../src/core/campaign/campaign.ts'
import { aCampaign } from '../../support/builders.ts'

const running = aCampaign({ id: 'demo', order: 'arrival' })
const held: CampaignState = {
  ...running,
  campaign: { ...running.campaign, status: { phase: 'paused', reason: 'issue', detail: 'it was closed' } },
}

describe('the issue of a campaign', () => {
  const back = { login: 'wendy', at: '2026-01-01T00:00:00Z' }
  const ended = { status: 'ended', detail: 'it was closed' } as const
  const asking = { status: 'asking', back: undefined } as const

  it('an issue that asks for its campaign changes nothing', () => {
    expect(decideIssue(running, { status: asking })).toEqual([])
  })

  it('a closed issue pauses its campaign once', () => {
    expect(decideIssue(running, { status: ended })).toEqual([{ type: 'hold', detail: 'it was closed' }])
    expect(decideIssue(held, { status: ended })).toEqual([])
  })

  it('an issue that a writer opened again resumes its campaign, and a stranger does not', () => {
    expect(decideIssue(held, { status: asking, back })).toEqual([
      { type: 'resume', by: 'wendy', at: back.at },
    ])
    expect(decideIssue(held, { status: asking })).toEqual([])
  })

  it('new words redirect a campaign', () => {
    const words = { title: 'Smaller', body: 'Try hard.' }
    expect(decideIssue(running, { words })).toEqual([{ type: 'redirect', ...words }])
  })
})

describe('the pull requests of a campaign', () => {
  const candidate = { ordinal: 3, commit: 'a', tree: 'b' }
  const pull = { candidate, status: 'open', number: 9 } as const
  const facts = { number: 9, nodeId: '', url: '', draft: true, branch: '', head: '' }
  const open = { ...facts, state: 'open', merged: false, body: '- [ ] <!-- loreley:ci --> Release CI' }
  const ticked = { ...open, body: open.body.replace('[ ]', '[x]') }

  it.each([
    ['merged', true],
    ['closed', false],
  ])('one that was %s is settled', (_how, merged) => {
    const found = { ...open, state: 'closed', merged }
    expect(decidePulls(running, [{ pull, found }])).toEqual([
      { type: 'settle', ordinal: 3, number: 9, merged },
    ])
  })

  it('an open one changes nothing, and so does one that GitHub does not show', () => {
    expect(decidePulls(running, [{ pull, found: open }])).toEqual([])
    expect(decidePulls(running, [{ pull, found: undefined }])).toEqual([])
  })

  it('a ticked box asks for CI, until it was released', () => {
    expect(decidePulls(running, [{ pull, found: ticked }])).toEqual([{ type: 'release-ci', pull: ticked }])
    expect(decidePulls(running, [{ pull: { ...pull, ciReleased: true }, found: ticked }])).toEqual([])
  })
})
