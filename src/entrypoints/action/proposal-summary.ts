import type { ProposalDocument, Proposed } from '../../protocol/proposal.ts'
import { renderCounts } from '../../reports/campaign/left-out.ts'
import { renderCost } from '../../reports/candidate/candidate-figures.ts'
import { inlineText } from '../../reports/plain-markdown.ts'
import { quoteForeign } from './say.ts'

const PATH_CHARACTERS = 200

/** The summary page of a run whose proposal will be measured: the intended change and its cost. */
export function renderProposalSummary(document: ProposalDocument, outcome: Proposed): string {
  const { candidate, base } = document
  const { tree, summary, plan, models = [], descriptor, usage } = outcome
  const { files, linesAdded, linesRemoved } = descriptor.change
  const facts = [
    `Tree \`${tree}\`, on commit \`${base.commit}\`. It is measured in the next job.`,
    `All changes since the campaign's root: files ${files}, lines +${linesAdded} −${linesRemoved}.`,
    `Models: ${models.length === 0 ? 'none' : models.map((name) => inlineText(name, 100)).join(', ')}.`,
    `Cost: ${renderCost({ usage })}.`,
    ...renderCounts(
      descriptor.embedding?.leftOut ?? {},
      (left) => `Left out of the niches: ${left} of the change`,
    ),
  ]
  return [
    `## Loreley: proposal of \`${candidate}\`\n`,
    quoteForeign(summary, 1000),
    ...renderFiles(outcome),
    ...facts.map((fact) => `- ${fact}`),
    '',
    ...(plan === '' ? [] : [`<details><summary>Plan</summary>\n\n${quoteForeign(plan)}\n</details>\n`]),
  ].join('\n')
}

function renderFiles({ card, files }: Proposed): string[] {
  const changed = card?.highlights ?? []
  const rows = changed.map(
    ({ path, linesAdded, linesRemoved }) =>
      `| ${inlineText(path, PATH_CHARACTERS)} | +${linesAdded} | −${linesRemoved} |`,
  )
  const more = files.length - changed.length
  return [
    '| file | added | removed |',
    '|---|---|---|',
    ...rows,
    ...(more > 0 ? [`| and ${more} more | | |`] : []),
    '',
  ]
}
