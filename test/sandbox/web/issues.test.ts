import { describe, expect, it } from 'vitest'
import { REPO, startTestBox, type TestBox } from '../support.ts'
import { Browser } from './browser.ts'

const ISSUE = '/acme/demo/issues/1'

async function withIssue(body: string): Promise<{ box: TestBox; me: Browser }> {
  const box = await startTestBox()
  await box.as('rita').rest.issues.create({ ...REPO, title: '<script>x</script>', body })
  return { box, me: await new Browser(box).be('wendy') }
}

/** The hidden fields of the n-th checkbox's form. */
function taskFields(text: string, index = 0): { line: string; seen: string } {
  const found = [
    ...text.matchAll(/name="line" value="(\d+)"><input type="hidden" name="seen" value="(\w+)"/g),
  ][index]
  return { line: found?.[1] ?? '', seen: found?.[2] ?? '' }
}

describe('the page of an issue', () => {
  it("an issue's page shows hostile titles, bodies and comments as text", async () => {
    const { box, me } = await withIssue('<img src=x onerror=alert(1)>\n\n<script>1</script>')
    await box
      .as('rita')
      .rest.issues.createComment({ ...REPO, issue_number: 1, body: '</article><script>2</script>' })
    for (const path of ['/acme/demo/issues', ISSUE]) {
      const { text, status } = await me.see(path)
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script|<[^>]* onerror/)
    }
  })

  it("an issue's page comments, labels, closes and reopens as the picked user", async () => {
    const { box, me } = await withIssue('text')
    await me.press(`${ISSUE}/comment`, { body: 'said on the page' })
    await me.press(`${ISSUE}/label`, { label: 'bug' })
    await me.press(`${ISSUE}/state`, { state: 'closed' })
    const client = box.as('rita')
    const { data } = await client.rest.issues.get({ ...REPO, issue_number: 1 })
    expect(data).toMatchObject({ state: 'closed', labels: [{ name: 'bug' }], closed_by: { login: 'wendy' } })
    const comments = await client.rest.issues.listComments({ ...REPO, issue_number: 1 })
    expect(comments.data).toMatchObject([{ body: 'said on the page', user: { login: 'wendy' } }])
    await me.press(`${ISSUE}/unlabel`, { label: 'bug' })
    const again = await me.press(`${ISSUE}/state`, { state: 'open' })
    expect(again.text).toContain('>open</span>')
    expect((await client.rest.issues.get({ ...REPO, issue_number: 1 })).data.labels).toEqual([])
  })

  it('the page allows nobody more than the API does', async () => {
    const { box } = await withIssue('- [ ] one')
    const stranger = await new Browser(box).be('sam')
    expect((await stranger.press(`${ISSUE}/label`, { label: 'bug' })).status).toBe(403)
    const page = await stranger.see(ISSUE)
    expect((await stranger.press(`${ISSUE}/task`, taskFields(page.text))).status).toBe(403)
    expect((await new Browser(box).press(`${ISSUE}/comment`, { body: 'x' })).status).toBe(401)
  })

  it('the page toggles a checkbox in the body and in a comment', async () => {
    const { box, me } = await withIssue('- [ ] one\n- [x] two')
    await box.as('rita').rest.issues.createComment({ ...REPO, issue_number: 1, body: 'so\n\n1. [ ] three' })
    let page = await me.see(ISSUE)
    page = await me.press(`${ISSUE}/task`, taskFields(page.text, 1))
    const id = /comments\/(\d+)\/task/.exec(page.text)?.[1] ?? ''
    await me.press(`${ISSUE}/comments/${id}/task`, taskFields(page.text, 2))
    const client = box.as('rita')
    expect((await client.rest.issues.get({ ...REPO, issue_number: 1 })).data.body).toBe(
      '- [ ] one\n- [ ] two',
    )
    const comment = await client.rest.issues.getComment({ ...REPO, comment_id: Number(id) })
    expect(comment.data.body).toBe('so\n\n1. [x] three')
  })

  it('the page toggles nothing in a text that was edited meanwhile', async () => {
    const { box, me } = await withIssue('- [ ] one')
    const page = await me.see(ISSUE)
    await box.as('rita').rest.issues.update({ ...REPO, issue_number: 1, body: '- [ ] another' })
    expect((await me.press(`${ISSUE}/task`, taskFields(page.text))).status).toBe(409)
  })

  it('the page opens a new issue', async () => {
    const { me } = await withIssue('')
    const made = await me.press('/acme/demo/issues', { title: 'second', body: 'see #1' })
    expect(made.path).toBe('/acme/demo/issues/2')
    expect(made.text).toContain('<a href="/acme/demo/issues/1">#1</a>')
  })
})
