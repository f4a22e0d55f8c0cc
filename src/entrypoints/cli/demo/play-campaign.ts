import { setTimeout as delay } from 'node:timers/promises'
import { watchCampaign } from './campaign-watch.ts'
import { MAINTAINER, type Site } from './installation.ts'
import { renderEntry, renderLabelled } from './output.ts'
import { type Played, readShown, type Shown } from './proof.ts'
import type { Stage } from './stage.ts'

/** Lets the maintainer start a campaign and watches it to its end. */
export async function playCampaign(
  site: Site,
  { folder, stopped, say, seconds }: Stage,
  words: { readonly title: string; readonly body: string },
): Promise<Played> {
  const issue = await putLabel(site, words)
  say(renderLabelled(site, issue, MAINTAINER))
  const { state } = await watchCampaign(site, {
    folder,
    campaign: `default-${issue}`,
    signal: stopped,
    onEntry: (entry, snapshot) => say(renderEntry(entry, snapshot.state, seconds())),
  })
  const shown = await untilShown(() => readShown(site, state, issue))
  return { state, issue, shown }
}

/** All that the maintainer has to do. */
async function putLabel(
  { maintainer, repo }: Site,
  words: { readonly title: string; readonly body: string },
): Promise<number> {
  await maintainer.request('POST /repos/{owner}/{repo}/labels', { ...repo, name: 'loreley' })
  const { data } = await maintainer.request('POST /repos/{owner}/{repo}/issues', { ...repo, ...words })
  const issue = { ...repo, issue_number: data.number }
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels'
  await maintainer.request(route, { ...issue, labels: ['loreley'] })
  return data.number
}

const LAST_LOOKS = 60
const LOOK_MS = 500

// The dashboard is not edited at every step: its last edit comes shortly after the end.
async function untilShown(look: () => Promise<Shown>): Promise<Shown> {
  for (let looks = 1; ; looks += 1) {
    const shown = await look()
    if (shown.dashboard !== undefined || looks === LAST_LOOKS) return shown
    await delay(LOOK_MS)
  }
}
