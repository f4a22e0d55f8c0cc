import { randomUUID } from 'node:crypto'
import { Webhooks } from '@octokit/webhooks'
import { expect, it } from 'vitest'
import { REPO, WEBHOOK_SECRET } from '../../sandbox/support.ts'
import { anApp, awaitComment, label, type TestApp } from '../support.ts'
import { EXAMPLES } from './webhook-examples.ts'

/** Makes payloads say that they are about acme/demo, so that the app does not pass them by. */
async function homeIn({ box }: TestApp): Promise<(payload: object) => object> {
  const { data: repository } = await box.as('rita').rest.repos.get(REPO)
  const { data: installed } = await box.app().rest.apps.listInstallations()
  const { data: sender } = await box.as('wendy').rest.users.getAuthenticated()
  return (payload) => ({ ...payload, repository, sender, installation: { id: installed[0]?.id } })
}

async function send({ app }: TestApp, name: string, payload: object): Promise<number> {
  const body = JSON.stringify(payload)
  const { status } = await fetch(`http://127.0.0.1:${app.port}/api/github/webhooks`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': name,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': await new Webhooks({ secret: WEBHOOK_SECRET }).sign(body),
    },
  })
  return status
}

it("GitHub's example payloads are all taken, of strange repositories and of ours, and the app works on", async () => {
  const app = await anApp({ lenient: true })
  const moveHere = await homeIn(app)
  const answers = new Set<number>()
  for (const { name, examples } of EXAMPLES) {
    for (const payload of examples) {
      answers.add(await send(app, name, payload))
      // One that says that the app was taken off would be believed.
      if (!name.startsWith('installation')) answers.add(await send(app, name, moveHere(payload)))
    }
  }
  expect([...answers]).toEqual([200])
  await awaitComment(app.box, await label(app.box), 'Finished after 6 candidates')
}, 180_000)
