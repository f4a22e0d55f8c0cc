import { describe, expect, it } from 'vitest'
import type { EmbedderConfig } from '../../src/config/campaign-config.ts'
import { digestEmbedder, embedderIdentity } from '../../src/config/embedder-identity.ts'
import { aConfig } from '../support/builders.ts'

const learned = aConfig({ search: { descriptor: 'delta', axes: [{ kind: 'learned' }, { kind: 'learned' }] } })

describe("an embedder's identity", () => {
  const digest = (changes: Partial<EmbedderConfig>) =>
    digestEmbedder({ ...learned, embedder: { ...learned.embedder, ...changes } })

  it.each<Partial<EmbedderConfig>>([
    { dimensions: 64 },
    { extensions: ['rkt'] },
    { use: 'openai' },
    { use: 'command', command: 'embed' },
  ])('the identity changes with %o', (changes) => {
    expect(digest(changes)).not.toBe(digest({}))
  })

  it('the identity ignores price, key and the order of extensions', () => {
    expect(digest({ dollarsPerMillionTokens: 9, keyVariable: 'OTHER', needsKey: false })).toBe(digest({}))
    expect(digest({ extensions: ['a', 'b'] })).toBe(digest({ extensions: ['b', 'a'] }))
  })

  it.each(['hashing', 'openai', 'command'] as const)(
    'the identity of %s names the version of the embedded texts',
    (use) => {
      expect(embedderIdentity({ ...learned.embedder, use })).toContain('/texts-3')
    },
  )

  it('the identity does not matter when no axis is learned', () => {
    expect(digestEmbedder(aConfig())).toBeUndefined()
  })
})
