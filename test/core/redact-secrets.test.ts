import { describe, expect, it } from 'vitest'
import { redactSecrets } from '../../src/core/redact-secrets.ts'

describe('redactSecrets', () => {
  it.each([
    ['an OpenAI key', `sk-proj-${'a1B2'.repeat(8)}`],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['an installation token of GitHub', `ghs_${'a1B2'.repeat(9)}`],
    [
      'a newer installation token of GitHub',
      'ghs_123456_eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijklmnop',
    ],
    ['an AWS key id', `AKIA${'ABCD1234'.repeat(2)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij'],
  ])('takes out %s', (_name, secret) => {
    expect(redactSecrets(`before ${secret} after`)).toBe('before [secret] after')
  })

  it('takes out a web token that is glued to a word', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghij'
    expect(redactSecrets(`session-${token}, x.${token}`)).toBe('[secret], x.[secret]')
  })

  // Each of them takes minutes where a search begins at every character and reads on to the end.
  it.each([
    ['beginnings of web tokens', 'eyJ-'.repeat(250_000)],
    ['a web token without an end', `${'eyJ-'.repeat(250_000)}.${'a-'.repeat(250_000)}`],
    ['web tokens that are too short', 'eyJ.'.repeat(250_000)],
    ['beginnings of private keys', '-----BEGIN '.repeat(100_000)],
    ['headers without a value', `authorization:${' '.repeat(1_000_000)}`],
  ])('gets through a megabyte of %s', (_name, text) => {
    expect(redactSecrets(text)).toBe(text)
  })

  it.each(['Bearer', 'token', 'basic'])('takes out a header but neither its name nor %s', (scheme) => {
    const header = `Authorization: ${scheme}`
    expect(redactSecrets(`${header} abcdefgh12345678`)).toBe(`${header} [secret]`)
  })

  it('takes out what it is told, whatever its shape', () => {
    expect(redactSecrets('the word hunter22 here', ['hunter22'])).toBe('the word [secret] here')
  })

  it('leaves object ids and short words alone', () => {
    const text = `commit ${'0123abcd'.repeat(5)} of key`
    expect(redactSecrets(text, ['key'])).toBe(text)
  })
})
