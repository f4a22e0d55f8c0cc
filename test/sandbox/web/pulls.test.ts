import { describe, expect, it } from 'vitest'
import { commitTo, openPull, readFile } from '../pulls/a-pull.ts'
import { REPO, startReceiver, startTestBox } from '../support.ts'
import { Browser } from './browser.ts'

describe('the page of a pull request', () => {
  it("a pull request's page shows the diff and merges for writers", async () => {
    const box = await startTestBox()
    const { pull_number, sha } = await openPull(box.as('wendy'))
    const page = `/acme/demo/pull/${pull_number}`
    const reader = await new Browser(box).be('rita')
    const shown = await reader.see(page)
    expect(shown.text).toContain('<td class="code">+2</tr>')
    expect((await reader.see('/acme/demo/pulls')).text).toContain('Try topic')
    expect((await reader.see(`${page}.diff`)).text).toMatch(/^diff --git/)
    expect((await reader.see(`/acme/demo/commit/${sha}.patch`)).text).toMatch(/^From /)
    expect((await reader.press(`${page}/merge`, { method: 'merge', sha })).status).toBe(403)
    const writer = await new Browser(box).be('wendy')
    const merged = await writer.press(`${page}/merge`, { method: 'squash', sha })
    expect(merged.text).toContain('>merged</span>')
    expect(await readFile(box.as('rita'), 'src/a.txt')).toBe('one\n2\nthree\n')
  })

  it("a pull request's page says why a conflict blocks the merge", async () => {
    const box = await startTestBox()
    const { pull_number, sha } = await openPull(box.as('wendy'))
    await commitTo(box.as('wendy'), 'main', 'src/a.txt', 'one\nother\nthree\n')
    const me = await new Browser(box).be('wendy')
    const page = `/acme/demo/pull/${pull_number}`
    expect((await me.see(page)).text).toContain('conflicts')
    expect((await me.press(`${page}/merge`, { method: 'merge', sha })).status).toBe(405)
  })

  it("a pull request's page switches draft and ready, approves, closes and reopens", async () => {
    const box = await startTestBox()
    const { pull_number } = await openPull(box.as('wendy'), { draft: true })
    const page = `/acme/demo/pull/${pull_number}`
    const me = await new Browser(box).be('olivia')
    const shown = await me.see(page)
    const id = /name="id" value="([^"]+)"/.exec(shown.text)?.[1] ?? ''
    const get = async () => (await box.as('rita').rest.pulls.get({ ...REPO, pull_number })).data
    await me.press(`${page}/ready`, { id, draft: '' })
    expect((await get()).draft).toBe(false)
    await me.press(`${page}/ready`, { id, draft: 'yes' })
    expect((await get()).draft).toBe(true)
    expect((await me.press(`${page}/review`, { event: 'APPROVE' })).text).toContain('reviewed: approved')
    await me.press(`/acme/demo/issues/${pull_number}/state`, { state: 'closed' })
    expect((await get()).state).toBe('closed')
    await me.press(`/acme/demo/issues/${pull_number}/state`, { state: 'open' })
    expect((await get()).state).toBe('open')
  })
})

describe('the page of a check', () => {
  it("a check's page shows hostile output as text, and its buttons reach the App", async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const { sha } = await openPull(box.as('wendy'))
    const client = await box.installation()
    const { data } = await client.rest.checks.create({
      ...REPO,
      name: '<script>name</script>',
      head_sha: sha,
      conclusion: 'failure',
      details_url: 'https://example.com/x',
      output: {
        title: '<b>title</b>',
        summary: '<script>1</script> **strong**',
        annotations: [
          { path: 'src/a.txt', start_line: 2, end_line: 2, annotation_level: 'failure', message: '<script>' },
        ],
      },
      actions: [{ label: 'Again', description: 'Do it again', identifier: 'again' }],
    })
    const runPath = `/acme/demo/runs/${data.id}`
    const me = await new Browser(box).be('wendy')
    for (const path of [runPath, `/acme/demo/commit/${sha}`]) {
      const page = await me.see(path)
      expect(page.text).not.toContain('<script')
      expect(page.text).toContain('>Again</button>')
    }
    const reader = await new Browser(box).be('rita')
    expect((await reader.press(`${runPath}/actions`, { identifier: 'again' })).status).toBe(403)
    expect((await me.press(`${runPath}/actions`, { identifier: 'unknown' })).status).toBe(422)
    await me.press(`${runPath}/actions`, { identifier: 'again' })
    await me.press(`${runPath}/rerequest`)
    await box.settled()
    const told = receiver.received.filter((one) => one.event === 'check_run').map((one) => one.payload)
    expect(told).toMatchObject([
      { action: 'created' },
      { action: 'completed' },
      { action: 'requested_action', requested_action: { identifier: 'again' }, sender: { login: 'wendy' } },
      { action: 'rerequested', sender: { login: 'wendy' } },
    ])
  })
})
