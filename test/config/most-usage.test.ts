import { expect, it } from 'vitest'
import { parseConfig } from '../../src/config/file/parse.ts'
import { mostUsage } from '../../src/config/most-usage.ts'

function mostOf(search: string) {
  const text = `goal: g
scope: { editable: ["**"], max_change_bytes: 100001 }
objectives: [{ metric: m, direction: maximize }]
evaluation: { command: "true" }
search: ${search}
`
  const [config] = parseConfig(text, 'a test').campaigns.values()
  if (config === undefined) throw new Error('there is no campaign')
  const { tokens, dollars } = mostUsage(config)
  return { tokens, dollars }
}

it('sets aside what embedding both sides of the largest change costs', () => {
  const paid = '{ embedder: { use: openai, dollars_per_million_tokens: 2 } }'
  expect(mostOf(paid)).toEqual({ tokens: 50_001, dollars: 0.100002 })
})

it.each(['{}', '{ descriptor: metrics, axes: [{ change: churn }], embedder: { use: openai } }'])(
  'sets nothing aside where no endpoint is asked: %s',
  (search) => {
    expect(mostOf(search)).toEqual({ tokens: 0, dollars: 0 })
  },
)
