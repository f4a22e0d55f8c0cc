import { describe, expect, it } from 'vitest'
import { findRunnerFault, readEmbedderKey } from '../../src/config/environment/embedder-key.ts'
import { parseConfig } from '../../src/config/file/parse.ts'

function aConfigWith(search: string) {
  const text = `goal: g
scope: { editable: ["**"] }
objectives: [{ metric: m, direction: maximize }]
evaluation: { command: "true" }
search: ${search}
`
  const [config] = parseConfig(text, 'a test').campaigns.values()
  if (config === undefined) throw new Error('there is no campaign')
  return config
}

const OPENAI = '{ embedder: { use: openai, key_variable: EMBED_KEY } }'

describe('the key of the embedder', () => {
  it.each([
    ['hashing', '{}'],
    ['a command', '{ embedder: { use: command, command: embed } }'],
    ['an endpoint that asks for none', '{ embedder: { use: openai, needs_key: false } }'],
    ['declared axes alone', '{ descriptor: metrics, embedder: { use: openai } }'],
  ])('does not read the key for %s, even if it is set', (_name, search) => {
    expect(readEmbedderKey(aConfigWith(search), { OPENAI_API_KEY: 'secret' })).toBeUndefined()
  })

  it('reads the key from the variable that the config names', () => {
    expect(readEmbedderKey(aConfigWith(OPENAI), { EMBED_KEY: 'secret', OPENAI_API_KEY: 'other' })).toBe(
      'secret',
    )
  })

  it.each([
    ['unset', {}],
    ['empty', { EMBED_KEY: '' }],
  ])('names the variable and a remedy when the key is %s', (_name, env) => {
    expect(() => readEmbedderKey(aConfigWith(OPENAI), env)).toThrow(
      expect.objectContaining({
        code: 'embedder-failed',
        message: expect.stringContaining('EMBED_KEY is not set'),
        hint: expect.stringContaining('repository secret'),
      }),
    )
  })
})

describe('an embedder on runners', () => {
  it.each([
    ['{ descriptor: repo_state, embedder: { use: openai } }', true],
    ['{ descriptor: repo_state }', false],
    ['{ embedder: { use: openai } }', false],
  ])('an embedder with %s on runners is refused: %s', (search, refused) => {
    expect(findRunnerFault(aConfigWith(search)) !== undefined).toBe(refused)
  })
})
