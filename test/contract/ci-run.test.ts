import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const ROOT = join(import.meta.dirname, '../..')
const CI_RUN = join(ROOT, '.ci/run')
const readWorkflow = (name: string): Promise<string> =>
  readFile(join(ROOT, '.github/workflows', name), 'utf8')

const matrixOf = z.looseObject({
  jobs: z.looseObject({
    check: z.looseObject({
      strategy: z.object({ matrix: z.object({ parts: z.array(z.string()) }) }).loose(),
    }),
  }),
})

describe('.ci/run', () => {
  let folder: string

  // The real script, with an npm that only writes down what it is asked for and refuses one word.
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loreley-ci-'))
    await mkdir(join(folder, '.ci'))
    await mkdir(join(folder, 'bin'))
    await copyFile(CI_RUN, join(folder, '.ci/run'))
    const npm = `#!/bin/sh\necho "npm $*"\ncase "$*" in *"$REFUSED"*) exit 3 ;; esac\n`
    await writeFile(join(folder, 'bin/npm'), npm)
    await chmod(join(folder, 'bin/npm'), 0o755)
  })

  afterEach(() => rm(folder, { recursive: true }))

  async function run(parts: readonly string[], refused = 'nothing') {
    const env = { PATH: `${folder}/bin:/usr/bin:/bin`, TMPDIR: folder, REFUSED: refused }
    try {
      const { stdout } = await promisify(execFile)(join(folder, '.ci/run'), [...parts], { env })
      return { code: 0, lines: stdout.trimEnd().split('\n') }
    } catch (error) {
      const { code, stdout } = z.looseObject({ code: z.number(), stdout: z.string() }).parse(error)
      return { code, lines: stdout.trimEnd().split('\n') }
    }
  }

  it('runs every part somewhere in ci.yml, and every shard of the slow tests', async () => {
    const listed = /^PARTS=\((.*)\)$/m.exec(await readFile(CI_RUN, 'utf8'))?.[1]?.split(' ')
    const { parts } = matrixOf.parse(parse(await readWorkflow('ci.yml'))).jobs.check.strategy.matrix
    const words = parts.flatMap((each) => each.split(' '))
    expect(new Set(words.filter((word) => !word.includes('/')))).toEqual(new Set(listed))
    const shards = words.filter((word) => word.includes('/'))
    expect(shards).toEqual(shards.map((_, index) => `${index + 1}/${shards.length}`))
  })

  it('prints the time of each step and a table', async () => {
    const { code, lines } = await run(['static'])
    expect(code).toBe(0)
    expect(lines).toContain('ci: lint took 0 s')
    const table = lines.slice(lines.indexOf('ci: seconds by step') + 1)
    expect(table.map((line) => line.replace(/^ +\d+ +/, ''))).toEqual([
      ...['npm ci', 'format', 'types', 'lint', 'architecture', 'generated files', 'action bundle'],
      ...['all', 'ci: passed: static'],
    ])
  })

  it('ends at the first failure and names it', async () => {
    const { code, lines } = await run(['static'], 'check:types')
    expect(code).toBe(3)
    expect(lines).toContain('npm run check:types')
    expect(lines).not.toContain('npm run check:lint')
    expect(lines.at(-1)).toBe('ci: failed in types')
  })

  it('refuses a part that it does not know', async () => {
    expect(await run(['nothing'])).toEqual({ code: 2, lines: [''] })
  })
})
