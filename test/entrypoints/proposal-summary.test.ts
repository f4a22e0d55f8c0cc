import { describe, expect, it } from 'vitest'
import { renderProposalSummary } from '../../src/entrypoints/action/proposal-summary.ts'
import { aChangedFile, aProposal } from '../support/artifacts.ts'

/** The page of a proposal by a model, with these changes. */
function aPage(changes: object = {}): string {
  const document = aProposal([aChangedFile('src/a.js'), aChangedFile('src/b.js')])
  if (document.outcome.status !== 'proposed') throw new Error('it is proposed')
  return renderProposalSummary(document, {
    ...document.outcome,
    card: { files: 2, highlights: [{ path: 'src/a.js', linesAdded: 12, linesRemoved: 3 }] },
    models: ['planner-1', 'coder-2'],
    usage: { tokens: 12_345, dollars: 0.25, runnerMs: 90_000 },
    ...changes,
  })
}

describe('the page of a proposal', () => {
  it('a proposal page tells what is changed, by whom, on what, and what it cost', () => {
    expect(aPage()).toMatchInlineSnapshot(`
      "## Loreley: proposal of \`demo-0007\`

      \`\`\`text
      better
      \`\`\`

      | file | added | removed |
      |---|---|---|
      | src/a.js | +12 | −3 |
      | and 1 more | | |

      - Tree \`62ba2dc1f8afbc02ac91ece5b104e9231d0cdc83\`, on commit \`512572f7a6f150f3e8d2734f94ee4b49ae4f67ee\`. It is measured in the next job.
      - All changes since the campaign's root: files 2, lines +1 −0.
      - Models: planner-1, coder-2.
      - Cost: 1.5 runner minutes, 12345 tokens, $0.25.

      <details><summary>Plan</summary>

      \`\`\`text
      - one step
      \`\`\`

      </details>
      "
    `)
  })

  it('a proposal page is broken by nothing that a model wrote', () => {
    const path = 'src/a|b`<img>@all.js'
    const page = aPage({
      summary: '```\n# Approved\n@everybody',
      plan: '</details>\n````\n| x |',
      card: { files: 2, highlights: [{ path, linesAdded: 1, linesRemoved: 0 }] },
    })
    expect(page).toContain('````text\n```\n# Approved\n@everybody\n````')
    expect(page).toContain('`````text\n</details>\n````\n| x |\n`````')
    expect(page).toContain('| src/a\\|b\\`&lt;img&gt;@\u200ball.js | +1 | −0 |')
  })
})
