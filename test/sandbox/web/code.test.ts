import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'
import { Browser } from './browser.ts'

const HOSTILE = '<script>alert(1)</script>"\'&'

describe('pages of a repository', () => {
  it('the code pages show folders, files with line numbers, branches, commits and diffs', async () => {
    const box = await startTestBox()
    const me = new Browser(box)
    expect((await me.see('/')).text).toContain('acme/demo')
    expect((await me.see('/acme/demo')).text).toMatch(/<h1>demo<\/h1>/)
    expect((await me.see('/acme/demo/tree/main/src')).text).toContain('/acme/demo/blob/main/src/a.txt')
    expect((await me.see('/acme/demo/blob/main/src/a.txt')).text).toContain(
      'href="#L3">3</a></td>'.replace('</td>', ''),
    )
    expect((await me.see('/acme/demo/branches')).text).toContain('/acme/demo/tree/main')
    const sha = (await box.as('wendy').rest.repos.getBranch({ ...REPO, branch: 'main' })).data.commit.sha
    expect((await me.see('/acme/demo/commits/main')).text).toContain(`/acme/demo/commit/${sha}`)
    const commit = await me.see(`/acme/demo/commit/${sha}`)
    expect(commit.text).toContain('<tr class="added">')
    expect((await me.see('/acme/nothing')).status).toBe(404)
    expect((await me.see('/acme/demo/blob/nowhere/x')).status).toBe(404)
  })

  it('an address with slashes finds its branch', async () => {
    const box = await startTestBox()
    const client = box.as('wendy')
    const { data } = await client.rest.repos.getBranch({ ...REPO, branch: 'main' })
    await client.rest.git.createRef({ ...REPO, ref: 'refs/heads/a/b', sha: data.commit.sha })
    await client.rest.git.createRef({ ...REPO, ref: 'refs/heads/a/bc/d', sha: data.commit.sha })
    const me = new Browser(box)
    expect((await me.see('/acme/demo/blob/a/bc/d/src/a.txt')).text).toContain('three')
    expect((await me.see('/acme/demo/raw/a/b/src/a.txt')).text).toBe('one\ntwo\nthree\n')
    expect((await me.see('/acme/demo/blob/a/b/src/a.txt?raw=true')).text).toBe('one\ntwo\nthree\n')
  })

  it('the code pages escape hostile names and contents, and allow no scripts', async () => {
    const name = `${HOSTILE.replaceAll('/', '')}.txt`
    const box = await startTestBox({
      files: { [name]: HOSTILE, 'README.md': `${HOSTILE}\n\n[x](javascript:alert(1))` },
    })
    const me = new Browser(box)
    for (const path of [
      '/acme/demo',
      `/acme/demo/blob/main/${encodeURIComponent(name)}`,
      '/acme/demo/commits/main',
    ]) {
      const page = await me.see(path)
      expect(page.status).toBe(200)
      expect(page.text).not.toContain('<script')
      expect(page.text).not.toContain('href="javascript')
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  it('raw files are sent so that no browser runs them', async () => {
    const box = await startTestBox({
      files: { 'a.html': HOSTILE, 'b.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    })
    const me = new Browser(box)
    const page = await me.see('/acme/demo/raw/main/a.html')
    expect(page.headers.get('content-type')).toMatch(/^text\/plain/)
    const picture = await me.see('/acme/demo/raw/main/b.svg')
    expect(picture.headers.get('content-type')).toBe('image/svg+xml')
    expect(picture.headers.get('content-security-policy')).toMatch(/sandbox$/)
  })

  it('a private repository is hidden from strangers', async () => {
    const box = await startTestBox({ private: true })
    const stranger = await new Browser(box).be('sam')
    expect((await stranger.see('/')).text).not.toContain('acme/demo')
    expect((await stranger.see('/acme/demo/raw/main/README.md')).status).toBe(404)
    expect((await (await new Browser(box).be('rita')).see('/acme/demo')).status).toBe(200)
  })
})

describe('the session of a page', () => {
  it('a form without its token, a forged cookie and a foreign host name are refused', async () => {
    const box = await startTestBox()
    const post = (headers: Record<string, string>) =>
      fetch(`${box.url}/-/session`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ login: 'olivia' }),
      })
    expect((await post({})).status).toBe(403)
    const forged = `box_session=${Buffer.from('olivia').toString('base64url')}.abc.def`
    const page = await fetch(`${box.url}/-/deliveries`, { headers: { cookie: forged } })
    expect(page.status).toBe(403)
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      request(`${box.url}/`, { headers: { host: 'evil.example' } }, (response) =>
        resolve(response.statusCode),
      ).end()
    })
    expect(status).toBe(421)
  })

  it("the user picker redirects only to the sandbox's own pages", async () => {
    const box = await startTestBox()
    const me = new Browser(box)
    expect((await me.press('/-/session', { login: 'rita', back: '//evil.example' })).path).toBe('/')
    expect((await me.press('/-/session', { login: 'rita', back: '/a\r\nx: y' })).path).toBe('/ax:%20y')
    expect((await me.press('/-/session', { login: 'rita', back: '/acme/demo' })).path).toBe('/acme/demo')
  })
})

describe('the page of webhook deliveries', () => {
  it('the deliveries page shows admins each webhook and redelivers it', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ webhookUrl: receiver.url })
    const content = Buffer.from('b').toString('base64')
    await box
      .as('wendy')
      .rest.repos.createOrUpdateFileContents({ ...REPO, path: 'b', message: HOSTILE, content })
    await box.settled()
    expect((await (await new Browser(box).be('wendy')).see('/-/deliveries')).status).toBe(403)
    const admin = await new Browser(box).be('olivia')
    const log = await admin.see('/-/deliveries')
    const link = /href="(\/-\/deliveries\/\d+)">push</.exec(log.text)?.[1] ?? ''
    const one = await admin.see(link)
    expect(one.text).toContain('x-hub-signature-256')
    expect(one.text).not.toContain('<script')
    const before = receiver.received.length
    await admin.press(link)
    await box.settled()
    expect(receiver.received.length).toBe(before + 1)
  })
})

describe('the page of switches', () => {
  it('the switches page lets an admin set faults within bounds', async () => {
    const box = await startTestBox({ lenient: true })
    const fields = {
      primaryPerHour: '5000',
      latencyMs: '0',
      failBefore: '1',
      failAfter: '0',
      squeeze: '0',
      squeezeVaguely: '0',
      staleRead: '0',
      webhookLost: '0',
      webhookDoubled: '0',
      webhookDelayed: '0',
      webhookReordered: '0',
    }
    expect((await (await new Browser(box).be('wendy')).press('/-/switches', fields)).status).toBe(403)
    const admin = await new Browser(box).be('olivia')
    expect((await admin.press('/-/switches', { ...fields, squeeze: '2' })).status).toBe(422)
    expect((await admin.press('/-/switches', fields)).status).toBe(200)
    expect((await failure(box.as('wendy').rest.repos.get(REPO))).status).toBe(502)
    expect((await admin.see('/acme/demo')).status).toBe(200)
  })
})
