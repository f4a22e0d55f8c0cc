import { expect, it } from 'vitest'
import { actionVariables, serverVariables } from '../../../src/sandbox/runner/jobs/service-variables.ts'
import { startTestBox } from '../support.ts'

it('a job finds the sandbox by names that git, curl and Node resolve', async () => {
  const box = await startTestBox()
  const server = serverVariables(box.box)
  expect(new URL(server.GITHUB_SERVER_URL ?? '').hostname).toBe('github.localhost')
  const answer = await fetch(`${server.GITHUB_API_URL}/meta`)
  expect(answer.status).toBe(200)
  const { ACTIONS_RESULTS_URL } = actionVariables(box.box, { runId: 1, jobId: 2 })
  expect(ACTIONS_RESULTS_URL).toBe(`${box.url}/`)
})
