import { ApiError } from '../../http/errors.ts'
import { DOCUMENTED_SECONDARY_LIMITS, type Faults, type Settings } from '../../settings.ts'
import { type Html, html } from '../html.ts'
import { hiddenCsrf } from '../layout.ts'
import { type PageReply, pageRoute, redirect, type Visit } from '../visit.ts'
import { assertAdmin } from './admin.ts'

/** Settings such as faults and limits. GitHub has no such page. */
export const SWITCH_PAGES = [
  pageRoute('GET /-/switches', showSwitches),
  pageRoute('POST /-/switches', setSwitches),
]

type Chance = Exclude<keyof Faults, 'seed' | 'latencyMs'>

const CHANCES: readonly (readonly [name: Chance, meaning: string])[] = [
  ['failBefore', 'probability of a 502 before the effect'],
  ['failAfter', 'probability of a 502 after the effect'],
  ['squeeze', 'probability of a secondary rate limit'],
  ['squeezeVaguely', 'probability of a secondary rate limit without retry-after'],
  ['staleRead', 'probability that a read soon after a write is stale'],
  ['webhookLost', 'probability that a webhook is lost'],
  ['webhookDoubled', 'probability that a webhook is sent twice'],
  ['webhookDelayed', 'probability that a webhook is late'],
  ['webhookReordered', 'probability that the next webhook overtakes this one'],
]

async function showSwitches({ box, session }: Visit): Promise<PageReply> {
  const { faults, guardWorkflows, primaryPerHour, secondary } = box.settings
  const number = (name: string, value: number, meaning: string, step: string): Html =>
    html`<label>${meaning} <input type="number" name="${name}" value="${value}" min="0" step="${step}"></label>`
  const flag = (name: string, on: boolean, meaning: string): Html =>
    html`<label><input type="checkbox" name="${name}"${on && html` checked`}> ${meaning}</label>`
  const body = html`<h1>Switches</h1><form method="post" action="/-/switches">${hiddenCsrf(session)}
${number('primaryPerHour', primaryPerHour, 'requests per hour and actor', '1')}
${flag('secondary', secondary !== undefined, 'GitHub’s documented secondary rate limits')}
${flag('guardWorkflows', guardWorkflows, 'refuse changed workflow files by Apps without the permission')}
${number('latencyMs', faults.latencyMs.most, 'maximum latency in milliseconds', '1')}
${CHANCES.map(([name, meaning]) => number(name, faults[name], meaning, 'any'))}
<button class="primary">Save</button></form>`
  return { kind: 'page', title: 'Switches', body }
}

async function setSwitches(visit: Visit): Promise<PageReply> {
  assertAdmin(visit)
  Object.assign(visit.box.settings, readSwitches(visit))
  return redirect('/-/switches')
}

function readSwitches({ box, form }: Visit): Partial<Settings> {
  const number = (name: string, most: number): number => {
    const value = Number(form.get(name) ?? 'missing')
    if (value >= 0 && value <= most) return value
    throw new ApiError(422, `${name} must be a number from 0 to ${most}.`)
  }
  const chances = Object.fromEntries(CHANCES.map(([name]) => [name, number(name, 1)]))
  return {
    primaryPerHour: number('primaryPerHour', 1e9),
    secondary: form.get('secondary') === null ? undefined : DOCUMENTED_SECONDARY_LIMITS,
    maxArtifactBytes: box.settings.maxArtifactBytes,
    guardWorkflows: form.get('guardWorkflows') !== null,
    faults: {
      ...box.settings.faults,
      ...chances,
      latencyMs: { least: 0, most: number('latencyMs', 60_000) },
    },
  }
}
