import { runInNewContext } from 'node:vm'
import type { GateConfig } from '../../config/campaign-config.ts'
import { cleanText } from '../../core/clean-text.ts'
import { cleanOutput } from '../../core/redact-secrets.ts'
import type { Isolation } from '../../process/isolation/isolation.ts'
import type { GroupOutcome } from '../../process/run-group.ts'
import { readJUnit } from './junit.ts'
import { readMetricsFile, removeMetricsFile } from './metrics-file.ts'

const SAID_CHARACTERS = 2000
const MAX_REPORT_BYTES = 16 * 1024 ** 2
// The pattern is the maintainer's, the text a candidate's: together they may backtrack for ever.
const MATCH_MS = 2000

/** What a finished gate left. */
export interface GateEnd {
  readonly folder: string
  readonly outcome: GroupOutcome
  readonly secrets: readonly string[]
}

/** Removes the report that a gate is to write: the one of an earlier gate, or of the candidate, must not count. */
export async function removeGateReport(
  { expect }: GateConfig,
  folder: string,
  isolation: Isolation | undefined,
): Promise<void> {
  if (expect?.junit !== undefined) await removeMetricsFile({ folder, path: expect.junit.file }, isolation)
}

/** How a gate with exit code 0 falls short of what it expects, with its redacted output; undefined when it does not. */
export async function findUnmet({ expect }: GateConfig, end: GateEnd): Promise<string | undefined> {
  const { stdout, stderr } = end.outcome
  const said = `${stdout}\n${stderr}`
  const unmet =
    (expect?.output === undefined ? undefined : findMissing(expect.output, said)) ??
    (expect?.junit === undefined ? undefined : await findReportFault(expect.junit, end.folder))
  if (unmet === undefined) return undefined
  return [unmet, cleanOutput(said, SAID_CHARACTERS, end.secrets)].filter(Boolean).join('\n')
}

function findMissing(pattern: string, said: string): string | undefined {
  const text = cleanText(said, said.length + 1)
  try {
    const isFound: unknown = runInNewContext(
      'new RegExp(pattern, "m").test(text)',
      { pattern, text },
      { timeout: MATCH_MS },
    )
    return isFound === true ? undefined : `exit code 0, but the output does not match ${pattern}`
  } catch {
    return `exit code 0, but matching the output with ${pattern} took too long`
  }
}

async function findReportFault(
  { file, tests }: NonNullable<NonNullable<GateConfig['expect']>['junit']>,
  folder: string,
): Promise<string | undefined> {
  const text = await readMetricsFile({ folder, path: file }, MAX_REPORT_BYTES)
  if (text === undefined) return `exit code 0, but there is no report ${file}`
  const report = readJUnit(text)
  if (report.status === 'unreadable')
    return `exit code 0, but the report ${file} is unreadable: ${report.reason}`
  const { ran, skipped, failed } = report
  if (failed > 0) return `exit code 0, but the report ${file} has failures: ${failed}`
  return ran < tests
    ? `exit code 0, but the report ${file} has ${ran} tests that ran (${skipped} skipped), and ${tests} are expected`
    : undefined
}
