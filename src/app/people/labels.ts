import * as z from 'zod'
import type { ConfigFile } from '../../config/campaign-config.ts'
import { findLabelling } from '../../github/issues/issue-history.ts'
import { findIssue, readIssue } from '../../github/issues/issues.ts'
import type { ApiPort, PermissionsPort } from '../ports.ts'
import type { Evidence, SeenIssue } from '../reconcile/evidence.ts'
import type { AgreedWords } from './agreed-words.ts'
import { mayWrite, senderOf } from './sender.ts'

type LabelPorts = ApiPort & PermissionsPort

const PAGE = 100

const EDITED =
  '😕 Not started: somebody without write access edited this issue after the label was set. Read it again, then remove the label and set it again.'

const labelled = z.array(z.object({ number: z.number(), pull_request: z.unknown().optional() }))

/** A request for a campaign: a label set by someone with write permission. */
export interface LabelRequest {
  /** The issue, with its text when the label was set. */
  readonly issue: SeenIssue
  readonly label: string
  /** When it was set. */
  readonly at?: string | undefined
}

/** The requests among the labels that webhooks reported. */
interface ToldLabels {
  readonly requests: readonly LabelRequest[]
  /** GitHub does not show one of them, perhaps because of a stale read. */
  readonly isUnsure: boolean
}

/** Finds labels that request campaigns. Only people with write permission can spend money by setting one. */
export class Labels {
  readonly #ports: LabelPorts
  readonly #words: AgreedWords

  constructor(ports: LabelPorts, words: AgreedWords) {
    this.#ports = ports
    this.#words = words
  }

  /**
   * The reported labels that are still set; the last one per issue and label. A label that GitHub does not show was removed,
   * or the read was stale. The caller then has to look again.
   */
  async observeTold(evidence: readonly Evidence<'labelled'>[]): Promise<ToldLabels> {
    const last = new Map(evidence.map((each) => [`${each.event.issue.number} ${each.event.label}`, each]))
    const requests: LabelRequest[] = []
    let isUnsure = false
    for (const { event, sender } of last.values()) {
      const { issue, label, at } = event
      if (issue.isPull || !(await mayWrite(this.#ports, sender))) continue
      const now = await readIssue(this.#ports.api, issue.number)
      if (now === undefined || !now.labels.includes(label)) isUnsure = true
      else if (now.state === 'open') requests.push({ issue, label, at })
    }
    return { requests, isUnsure }
  }

  /** Labels of open issues without a campaign, reported by a webhook or not. */
  async observeAll(config: ConfigFile, begun: ReadonlySet<number>): Promise<readonly LabelRequest[]> {
    const requests: LabelRequest[] = []
    for (const label of new Set([...config.campaigns.values()].map((campaign) => campaign.label))) {
      const found = await this.#ports.api.get({
        route: 'GET /repos/{owner}/{repo}/issues',
        parameters: { labels: label, state: 'open', per_page: PAGE },
        answer: labelled,
        priority: 'state',
        polled: true,
      })
      for (const { number, pull_request } of found)
        if (pull_request === undefined && !begun.has(number))
          requests.push(...(await this.#readLabel(number, label)))
    }
    return requests
  }

  async #readLabel(number: number, label: string): Promise<LabelRequest[]> {
    const { api } = this.#ports
    const labelling = await findLabelling(api, number, label)
    if (labelling === undefined || !(await mayWrite(this.#ports, senderOf(labelling.actor)))) return []
    // Read the text before asking who edited it, so that a later edit is not used.
    const issue = await findIssue(api, number)
    if (!(await this.#words.isUnchanged(number, { ...labelling, complaint: EDITED }))) return []
    return issue === undefined ? [] : [{ issue, label, at: labelling.at }]
  }
}
