import { expect, it } from 'vitest'
import { expectWellFormed, REPO, startTestBox } from './support.ts'

/** Sends a request and ignores a refusal. */
const tried = (asked: Promise<unknown>): Promise<unknown> => asked.catch(() => undefined)

it("requests that GitHub's descriptions do not allow are listed and fail a test that asks for it", async () => {
  const box = await startTestBox()
  const app = await box.installation()
  await app.rest.issues.create({ ...REPO, title: 'well', labels: [] })
  await app.graphql('{ viewer { login } }')
  expectWellFormed(box.box)

  await tried(app.request('POST /repos/acme/demo/git/refs', { ref: 7, sha: 'x' }))
  await tried(app.request('GET /repos/acme/demo/issues', { state: 'ajar' }))
  await tried(app.request('POST /repos/{owner}/{repo}/issues', { ...REPO, title: 'x', lables: [] }))
  await tried(app.request('GET /repos/{owner}/{repo}/no-such-thing', REPO))
  await tried(app.graphql('{ viewer { lgoin } }'))
  await tried(app.graphql('query ($owner: String!) { repository(owner: $owner, name: "demo") { id } }', {}))
  expect(box.box.malformed).toEqual([
    'POST /repos/acme/demo/git/refs: /ref must be string',
    'GET /repos/acme/demo/issues: /state must be equal to one of the allowed values: open, closed, all',
    'POST /repos/acme/demo/issues: /lables is unknown',
    'GET /repos/acme/demo/no-such-thing: / no such operation',
    expect.stringContaining('Cannot query field "lgoin"'),
    expect.stringContaining('Variable "$owner" of required type'),
  ])
  expect(() => expectWellFormed(box.box)).toThrow('requests against GitHub’s descriptions')
})

it('malformed requests by people are not listed', async () => {
  const box = await startTestBox()
  await tried(box.as('wendy').request('GET /repos/acme/demo/issues', { state: 'ajar' }))
  expect(box.box.malformed).toEqual([])
})
