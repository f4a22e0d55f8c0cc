import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { aFolder } from '../../support/repository.ts'
import { hasNamespaces, isRoot, runEnclosed } from '../enclosed-run.ts'

const levels = [...(hasNamespaces ? ['namespace' as const] : []), ...(isRoot ? ['user' as const] : [])]

function openFolder(): string {
  const folder = aFolder()
  chmodSync(folder, 0o755)
  return folder
}

describe.each(levels)('the environment of an enclosed command (%s)', (level) => {
  it('the environment arrives byte for byte, with nothing added', async () => {
    const odd = `it's "$HOME" \`id\` \\n \u00e4\n\nexport KEPT=no\n`
    const line = `node -e 'console.log(JSON.stringify(process.env)); process.stdin.resume()'`
    const { outcome } = await runEnclosed({
      place: openFolder(),
      line,
      changes: { levels: [level] },
      env: { odd, empty: '' },
    })
    const { PATH, TRUSTED, LORELEY_GROUP, PWD, _, SHLVL, ...rest } = JSON.parse(outcome.stdout)
    expect(rest).toEqual({ KEPT: 'yes', odd, empty: '' })
  })

  it('the environment is on no command line, where every user could read it', async () => {
    const place = openFolder()
    const password = `hunter-${process.pid}`
    const line = 'echo "$PASSWORD" > started; while [ ! -e stop ]; do sleep 0.05; done'
    const run = runEnclosed({ place, line, changes: { levels: [level] }, env: { PASSWORD: password } })
    const started = join(place, 'own/started')
    await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 20_000 })
    const lines = readCommandLines()
    writeFileSync(join(place, 'own/stop'), '')
    expect(await run).toMatchObject({ outcome: { status: 'exited', exitCode: 0 } })
    expect(readFileSync(started, 'utf8')).toBe(`${password}\n`)
    expect(lines.filter((each) => each.includes('while [ ! -e stop ]'))).not.toEqual([])
    expect(lines.filter((each) => each.includes(password))).toEqual([])
  })
})

function readCommandLines(): string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
    } catch {
      // Gone meanwhile.
      return []
    }
  })
}
