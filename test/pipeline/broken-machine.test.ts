import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findIsolation } from '../../src/process/isolation/find-isolation.ts'
import type { Isolation } from '../../src/process/isolation/isolation.ts'
import { aRequest, hasNamespaces } from '../process/enclosed-run.ts'
import { aFolder, aRepository, writeFiles } from '../support/repository.ts'
import { anEvaluation, aWorkbench } from '../support/workbench.ts'

const PATH = process.env.PATH ?? ''
const bench = () => aWorkbench(aRepository({ 'src/a.js': '1\n' }))
const gate = (name: string, command: string) => ({ name, command, timeoutSeconds: 20 })

/** A folder with the programs that isolation takes where there is no Perl. It stays in sight when /tmp is hidden. */
function withoutPerl(): string {
  const folder = mkdtempSync('/srv/loreley-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const names = ['mount', 'umount', 'mkdir', 'unshare', 'prlimit', 'setpriv', 'env', 'sh', 'cat', 'id', 'ip']
  for (const name of [...names, 'chown', 'cp', 'rm'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name))
  return folder
}

/** An isolation that was tried and works, until one of the programs that it is made with breaks. */
async function aFragileIsolation(program: string): Promise<{ isolation: Isolation; breakIt: () => void }> {
  const tools = aFolder()
  chmodSync(tools, 0o755)
  const broken = join(tools, 'broken')
  const script = `#!/bin/sh
[ -e ${broken} ] && { echo '${program}: out of order' >&2; exit 1; }
PATH=\${PATH#*:} exec ${program} "$@"
`
  writeFiles(tools, { [program]: script })
  chmodSync(join(tools, program), 0o755)
  const isPerl = program === 'perl'
  const search = await findIsolation(
    aRequest(aFolder(), { path: `${tools}:${isPerl ? PATH : withoutPerl()}` }),
  )
  if (search.status !== 'found') throw new Error(search.detail)
  return { isolation: search.isolation, breakIt: () => writeFileSync(broken, '') }
}

describe.runIf(hasNamespaces)('a machine that can keep candidates apart no more', () => {
  const said = (program: string) => `could not start: ${program}: out of order\n${program}: out of order`

  it.each(['perl', 'unshare', 'mount', 'setpriv'])(
    'the machine is to blame, not the candidate, when %s is broken',
    async (program) => {
      const { evaluate } = await bench()
      const { isolation, breakIt } = await aFragileIsolation(program)
      const evaluation = anEvaluation({ command: 'echo 1' })
      expect(await evaluate(evaluation, { isolation })).toMatchObject({ metrics: { score: 1 } })
      breakIt()
      const blamed = { status: 'failed', reason: 'infrastructure' }
      expect(await evaluate(evaluation, { isolation })).toMatchObject({ ...blamed, detail: said(program) })
      const gated = anEvaluation({ command: 'echo 1', gates: [gate('tests', 'true')] })
      expect(await evaluate(gated, { isolation })).toMatchObject({
        ...blamed,
        detail: `tests: ${said(program)}`,
      })
    },
  )

  it.each([
    ['says what the machine would say', 'echo mount: out of order >&2; exit 1'],
    ['takes its words back', 'exec >&- 2>&-; exit 1'],
    ['ends itself', 'kill -9 $$'],
  ])('the machine is not to blame for a candidate that %s', async (_, command) => {
    const { evaluate } = await bench()
    const { isolation } = await aFragileIsolation('mount')
    expect(await evaluate(anEvaluation({ command }), { isolation })).toMatchObject({
      status: 'failed',
      reason: 'evaluation-failed',
    })
  })

  it('the machine is not to blame for a candidate that removes the folder in which it is to run next', async () => {
    const { evaluate } = await bench()
    const { isolation } = await aFragileIsolation('mount')
    const gates = [gate('one', 'rm -rf ../files'), gate('two', 'true')]
    const outcome = await evaluate(anEvaluation({ command: 'echo 1', gates }), { isolation })
    expect(outcome).toMatchObject({ reason: 'gate-failed', detail: expect.stringMatching(/^two: exit code/) })
  })
})
