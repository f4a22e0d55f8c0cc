import { describe, expect, it } from 'vitest'
import { redactSecrets } from '../../src/core/secrets.ts'

describe('redactSecrets', () => {
  it.each([
    ['an OpenAI key', `sk-proj-${'a1B2'.repeat(8)}`],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['an AWS key id', `AKIA${'ABCD1234'.repeat(2)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij'],
  ])('takes out %s', (_name, secret) => {
    expect(redactSecrets(`before ${secret} after`)).toBe('before [secret] after')
  })

  it('takes out a header but not its name', () => {
    expect(redactSecrets('Authorization: Bearer abcdefgh12345678')).toBe('Authorization: Bearer [secret]')
  })

  it('takes out what it is told, whatever its shape', () => {
    expect(redactSecrets('the word hunter22 here', ['hunter22'])).toBe('the word [secret] here')
  })

  it('leaves object ids and short words alone', () => {
    const text = `commit ${'0123abcd'.repeat(5)} of key`
    expect(redactSecrets(text, ['key'])).toBe(text)
  })
})
