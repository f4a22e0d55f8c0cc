import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const LOG = new URL('../../../dist/app/server/log.js', import.meta.url).href

/** What a process writes that logs these facts and this message. */
function logged(facts: object, message: string): Record<string, unknown> {
  const secrets = ['hunter2-hunter2', privateKey]
  const program = `import { createLog } from ${JSON.stringify(LOG)}
createLog({ level: 'info', secrets: ${JSON.stringify(secrets)} }).info(${JSON.stringify(facts)}, ${JSON.stringify(message)})`
  const args = ['--input-type=module', '-e', program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

it('takes secrets out of every field, known ones and those that look like one', () => {
  const facts = {
    token: `ghs_${'a'.repeat(36)}`,
    deep: { key: privateKey, headers: { authorization: 'Bearer abcdefghijkl' } },
  }
  expect(logged(facts, 'the secret is hunter2-hunter2')).toMatchObject({
    msg: 'the secret is [secret]',
    token: '[secret]',
    deep: { key: '[secret]', headers: { authorization: 'Bearer [secret]' } },
  })
})

it('leaves the headers of requests out', () => {
  const line = logged({ req: { method: 'POST', headers: { cookie: 'x' } } }, 'asked')
  expect(line).toMatchObject({ req: { method: 'POST' } })
  expect(line).not.toHaveProperty('req.headers')
})
