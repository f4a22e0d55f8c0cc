import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findSecrets } from '../../src/guard/detect-secrets.ts'
import { aChange, anEdit } from './changes.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const HEX = '0123456789abcdef'

/** Letters without a pattern, the same each time. No line of this file looks like a credential by itself. */
function some(length: number, of = LETTERS): string {
  return Array.from({ length }, (_, index) => of[(index * 37 + 11 * (index >> 2) + 5) % of.length]).join('')
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const pem = (type: 'pkcs1' | 'pkcs8') => String(rsa.export({ type, format: 'pem' }))
const GITHUB = `ghp_${some(36)}`

const CREDENTIALS: readonly (readonly [what: string, text: string])[] = [
  ['a token of GitHub', `const token = '${GITHUB}'`],
  ['a fine-grained token of GitHub', `token: github_pat_${some(22)}_${some(59)}`],
  [
    'a newer installation token of GitHub',
    `ghs_${some(6, '0123456789')}_eyJ${some(20)}.eyJ${some(40)}.${some(43)}`,
  ],
  ['keys of AWS', `aws_access_key_id=AKIA${some(16, UPPER)}\naws_secret_access_key=${some(40)}`],
  ['a token of Slack', `'xoxb-${some(12, '0123456789')}-${some(12, '0123456789')}-${some(24)}'`],
  [
    'a webhook of Slack',
    `https://hooks.slack.com/services/T${some(8, UPPER)}/B${some(8, UPPER)}/${some(24)}`,
  ],
  ['a token of npm', `//registry.npmjs.org/:_authToken=npm_${some(36)}`],
  ['a key of OpenAI', `sk-proj-${some(74)}T3BlbkFJ${some(74)}`],
  ['an older key of OpenAI', `sk-${some(20)}T3BlbkFJ${some(20)}`],
  ['a key of Anthropic', `sk-ant-api03-${some(93)}AA`],
  ['a private key', pem('pkcs1')],
  ['a private key in another form', pem('pkcs8')],
  ['a password in a URL', `fetch('https://admin:${some(20)}@db.example.org/x')`],
  ['a password of a database', `postgres://app:${some(20)}@db.internal:5432/x`],
  ['a key of SendGrid', `SG.${some(22)}.${some(43)}`],
  ['a token of Shopify', `shppa_${some(32, HEX)}`],
  ['a token of Linear', `lin_api_${some(40)}`],
  ['a token of GitLab', `glpat-${some(20)}`],
  ['a key of Google', `AIza${some(35)}`],
  ['a key of Stripe', `sk_live_${some(24)}`],
  ['a token of Hugging Face', `hf_${some(34)}`],
  ['a token of PyPI', `pypi-AgEIcHlwaS5vcmc${some(70)}`],
]

const NEAR_MISSES: readonly (readonly [what: string, text: string])[] = [
  ['an object id', `const commit = '${some(40, HEX)}'`],
  ['a digest', `sha256:${some(64, HEX)}`],
  ['a digest of a lockfile', `"integrity": "sha512-${some(86)}=="`],
  ['a UUID', 'id = 123e4567-e89b-12d3-a456-426614174000'],
  ['a picture', `url(data:image/png;base64,${some(200)}==)`],
  ['a public key', `-----BEGIN PUBLIC ${'KEY'}-----\n${some(64)}\n-----END PUBLIC ${'KEY'}-----`],
  ['the head of a private key, which a parser looks for', `'-----BEGIN RSA PRIVATE ${'KEY'}-----'`],
  ['a word that begins like a token', 'ghp_short and hf_model and sk_live_mode'],
  ['the name of a variable', 'process.env.AWS_SECRET_ACCESS_KEY'],
  ['a URL with placeholders', `https://\${user}:\${password}@host/x`],
  ['a class of a style sheet', '.sk-circle-fade-dot-animation-long { color: red }'],
]

describe('credentials in a change', () => {
  it.each(CREDENTIALS)('%s is found', async (_what, text) => {
    const change = aChange('src/a.js', { text: `before\n${text}\nafter\n` })
    expect(await findSecrets([aChange('src/b.js'), change])).toEqual([change])
  })

  it.each(NEAR_MISSES)('%s is not a credential', async (_what, text) => {
    expect(await findSecrets([aChange('src/a.js', { text })])).toEqual([])
  })

  it.each([
    `/* secretlint-disable */\nconst token = '${GITHUB}'`,
    `const token = '${GITHUB}' // secretlint-disable-line`,
    `const token = '${GITHUB}' // secretlint-disable-line\n`,
    `// secretlint-disable\nconst token = '${GITHUB}'\n`,
    `// SecretLint-Disable\nconst token = '${GITHUB}'\n`,
    `# secretlint-disable\ntoken = '${GITHUB}'\n`,
    `// secretlint-disable-next-line\nconst token = '${GITHUB}'\n`,
    `<!-- secretlint-disable -->\n<p>${GITHUB}</p>\n`,
    `# secretlint-disable\n${pem('pkcs1')}`,
    `${'x'.repeat(70)}\n`.repeat(20_000) + GITHUB,
  ])('a credential cannot hide behind a comment or much text', async (text) => {
    expect(await findSecrets([aChange('src/a.js', { text })])).toHaveLength(1)
  })

  it('a new credential counts beside an old one, the same one does not', async () => {
    const was = `old = ${GITHUB}\n`
    const other = `ghp_${some(36).split('').reverse().join('')}`
    const changed = (text: string) => findSecrets([anEdit('src/a.js', { was, text })])
    expect(await changed(`${was}x\n`)).toEqual([])
    expect(await changed(`${was}new = ${other}\n`)).toHaveLength(1)
  })
})
