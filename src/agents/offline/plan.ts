import type { Brief } from '../agent.ts'
import { mixFor } from './mix.ts'

/** Says in Markdown which edits may come and how likely each is. The draw itself is left to the coding step. */
export function renderPlan(brief: Brief, fileCount: number): string {
  const mix = mixFor(brief)
  const total = mix.reduce((sum, { weight }) => sum + weight, 0)
  const shares = mix
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ name, weight }) => `- ${name}: ${Math.round((100 * weight) / total)} %`)
  const lens = brief.lens === undefined ? '' : `, seen through the lens ${brief.lens.name}`
  const paragraphs = [
    ...renderDonation(brief),
    `One to three edits in ${fileCount} editable files${lens}. Each is drawn by chance:`,
    shares.join('\n'),
    'An edit that brings in a syntax error is thrown away.',
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function renderDonation({ operator, inspirations }: Brief): string[] {
  const donor = operator === 'crossover' ? inspirations[0]?.ordinal : undefined
  if (donor === undefined) return []
  return [`First take changes from candidate ${donor}. In one case of three, and if it has none to give:`]
}
