import type { Box } from '../../box.ts'
import { notFound } from '../../http/errors.ts'
import { apps } from '../../state/documents.ts'
import { type Delivery, findDelivery, listDeliveries, repositoryHooks } from '../../webhooks/hooks.ts'
import { type Content, type Html, html } from '../html.ts'
import { button, pager, time } from '../layout.ts'
import { numberOfPage, type PageReply, pageRoute, redirect, type Visit } from '../visit.ts'
import { assertAdmin } from './admin.ts'

/** The webhook log of all Apps and repositories. On GitHub, each owner sees only their own. */
export const DELIVERY_PAGES = [
  pageRoute('GET /-/deliveries', showDeliveries),
  pageRoute('GET /-/deliveries/{id}', showDelivery),
  pageRoute('POST /-/deliveries/{id}', redeliver),
]

const PER_PAGE = 50

async function showDeliveries(visit: Visit): Promise<PageReply> {
  assertAdmin(visit)
  const page = numberOfPage(visit)
  const all = listDeliveries(visit.box.store).reverse()
  const shown = all.slice((page - 1) * PER_PAGE, page * PER_PAGE)
  const body = html`<h1>Webhook deliveries</h1>
<div class="scroll"><table><thead><tr><th>event<th>to<th>result<th>time<th>delivery</tr></thead>
<tbody>${shown.map((one) => renderRow(visit.box, one))}</tbody></table></div>
${shown.length === 0 && html`<p class="quiet">None yet. Set a webhook address for an App or a repository.</p>`}
${pager(visit.url, page, all.length > page * PER_PAGE)}`
  return { kind: 'page', title: 'Webhook deliveries', body }
}

function renderRow(box: Box, one: Delivery): Html {
  return html`<tr><td><a href="/-/deliveries/${one.id}">${eventName(one)}</a><td>${recipient(box, one)}
<td>${renderOutcome(one)}<td>${time(one.outcome?.deliveredAt ?? one.createdAt)}
<td><code>${one.guid.slice(0, 8)}</code>${one.redelivery && html` <span class="tag">redelivery</span>`}</tr>`
}

function renderOutcome({ outcome }: Delivery): Content {
  if (outcome === undefined) return html`<span class="tag">pending</span>`
  const look = outcome.statusCode < 400 ? 'good' : 'bad'
  return html`<span class="tag ${look}">${outcome.statusCode}</span> ${outcome.status}`
}

async function showDelivery(visit: Visit): Promise<PageReply> {
  const one = getDelivery(visit)
  const block = (title: string, value: unknown): Html =>
    html`<h2>${title}</h2><pre>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>`
  const body = html`<h1>${eventName(one)}</h1>
<p>${renderOutcome(one)} · ${one.guid} · to ${recipient(visit.box, one)} · ${one.url}</p>
<p>${button({ session: visit.session, action: `/-/deliveries/${one.id}`, label: 'Redeliver' })}</p>
${one.outcome !== undefined && block('Request headers', one.outcome.requestHeaders)}
${block('Payload', JSON.parse(one.body))}
${one.outcome !== undefined && block('Response', one.outcome.responseBody)}`
  return { kind: 'page', title: eventName(one), body }
}

async function redeliver(visit: Visit): Promise<PageReply> {
  visit.box.deliverer.redeliver(getDelivery(visit))
  return redirect('/-/deliveries')
}

function getDelivery(visit: Visit): Delivery {
  assertAdmin(visit)
  const found = findDelivery(visit.box.store, Number(visit.at.id))
  if (found === undefined) throw notFound()
  return found
}

function eventName(one: Delivery): string {
  return one.action === null ? one.event : `${one.event}.${one.action}`
}

function recipient(box: Box, { hook }: Delivery): string {
  if (hook.kind === 'app') return `App ${apps(box.store).find(hook.appId)?.slug ?? hook.appId}`
  return `hook ${repositoryHooks(box.store).find(hook.hookId)?.url ?? hook.hookId}`
}
