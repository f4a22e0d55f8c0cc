import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import { aFolder } from '../support/repository.ts'
import { aRequest, hasNamespaces, runEnclosed } from './enclosed-run.ts'

function anOpenFolder(): string {
  const folder = aFolder()
  chmodSync(folder, 0o755)
  return folder
}

describe.runIf(hasNamespaces)('localhost in namespaces', () => {
  const NEEDED = [
    ...['mount', 'umount', 'mkdir', 'unshare', 'prlimit', 'setpriv', 'env', 'sh', 'cat', 'id', 'node'],
    ...['chown', 'rm'],
  ]
  const DIAL = `const net = require('node:net')
const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1', () => {
  const tell = (word) => () => (console.log(word), process.exit())
  net.connect(server.address().port, '127.0.0.1').on('connect', tell('reached')).on('error', tell('cut off'))
}).on('error', () => console.log('cut off'))`

  /** What a server and its client find with these programs on the PATH, and what is said about it. */
  async function dialWith(...more: string[]) {
    const place = anOpenFolder()
    const bin = join(anOpenFolder(), 'bin')
    mkdirSync(bin)
    for (const name of [...NEEDED, ...more])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name))
    // The programs are still needed when folders have been hidden: so none is.
    const changes = { path: bin, hidden: [] }
    const search = await findIsolation(aRequest(place, changes))
    const { outcome } = await runEnclosed({
      place,
      line: 'node -e "$DIAL"',
      env: { DIAL },
      changes,
    })
    return [outcome.stdout.trim(), search.status === 'found' ? search.isolation.lacks : search.detail]
  }

  const there = ['ip', 'perl'].filter((name) => spawnSync('which', [name]).status === 0)
  it.each(there)('localhost works in namespaces, brought up by %s', async (program) => {
    const lacks = program === 'perl' ? undefined : expect.not.stringContaining('localhost')
    expect(await dialWith(program)).toEqual(['reached', lacks])
  })

  it('says beforehand that localhost is missing where nothing can bring it up', async () => {
    expect(await dialWith()).toEqual(['cut off', expect.stringContaining('iproute2')])
  })
})
