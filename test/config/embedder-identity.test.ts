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
  ])('is another with %o', (changes) => {
    expect(digest(changes)).not.toBe(digest({}))
  })

  it('is the same with another price or key, and whatever the order of extensions', () => {
    expect(digest({ dollarsPerMillionTokens: 9, keyVariable: 'OTHER', needsKey: false })).toBe(digest({}))
    expect(digest({ extensions: ['a', 'b'] })).toBe(digest({ extensions: ['b', 'a'] }))
  })

  it.each(['hashing', 'openai', 'command'] as const)('of %s names what of a file is embedded', (use) => {
    expect(embedderIdentity({ ...learned.embedder, use })).toContain('/texts-3')
  })

  it('does not matter where no axis is learned', () => {
    expect(digestEmbedder(aConfig())).toBeUndefined()
  })
})
