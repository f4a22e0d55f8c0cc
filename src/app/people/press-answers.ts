import { findCheck, putCheck } from '../../github/checks/check-runs.ts'
import type { ApiPort, ClockPort, CommentsPort } from '../ports.ts'
import type { Reply } from './reply.ts'

type AnswerPorts = ApiPort & ClockPort & CommentsPort

/** A press of a button on a candidate's check run. */
export interface ButtonPress {
  /** The GUID of its webhook. */
  readonly delivery: string | undefined
  readonly by: string
  /** What the button says. */
  readonly button: string
  readonly candidate: string
  /** The commit of the check run. */
  readonly sha: string
  /** The campaign's issue. */
  readonly issue: number | undefined
}

/** GitHub keeps deliveries for three days, and sends them again on request. */
const KEPT_MS = 4 * 24 * 3_600_000

/**
 * Whether a press was answered, by any process. The answer carries the GUID of the press, because GitHub keeps no other
 * record of what was obeyed.
 */
export async function isAnswered(ports: AnswerPorts, press: ButtonPress): Promise<boolean> {
  const { api, clock, comments } = ports
  const { delivery, issue } = press
  if (delivery === undefined) return false
  const since = new Date(clock.now() - KEPT_MS).toISOString()
  const said =
    issue === undefined ? undefined : await comments.findContaining(issue, markerOf(delivery), since)
  return said !== undefined || (await findCheck(api, checkOf(press))) !== undefined
}

/** Tells on the campaign's issue who pressed what, and what came of it. Without an issue a check run says so. */
export async function answerPress(ports: AnswerPorts, press: ButtonPress, reply: Reply): Promise<void> {
  const { by, button, delivery, issue } = press
  const sign = reply.status === 'done' ? '✅' : '😕'
  const marker = delivery === undefined ? '' : `\n\n${markerOf(delivery)}`
  const text = `${sign} ${by} pressed **${button}**: ${reply.text}${marker}`
  const outcome = issue === undefined ? undefined : await ports.comments.answer(issue, text)
  if (outcome !== undefined && outcome.status !== 'refused') return
  await putCheck(ports.api, {
    ...checkOf(press),
    conclusion: 'neutral',
    title: `${sign} ${by} pressed ${button}`,
    summary: reply.text,
  })
}

function markerOf(delivery: string): string {
  return `<!-- loreley:press delivery=${delivery.replaceAll(/[^\w-]/g, '')} -->`
}

function checkOf({ candidate, sha, delivery = '' }: ButtonPress) {
  return { name: `loreley ${candidate} pressed`, sha, externalId: delivery }
}
