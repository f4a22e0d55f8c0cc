import { z } from 'zod'

const lineSchema = z.object({
  msg: z.string().default(''),
  job: z.string().optional(),
  jobID: z.string().optional(),
  matrix: z.record(z.string(), z.unknown()).nullish(),
  raw_output: z.boolean().default(false),
  jobResult: z.string().optional(),
})
type Line = z.output<typeof lineSchema>

/** Jobs and their logs from the lines of `act --json`, under GitHub's names where known. */
export function readActLog(
  text: string,
  names: readonly string[],
): { readonly jobs: Record<string, string>; readonly logs: Record<string, string> } {
  const known = new Map(names.map((name) => [sortValues(name), name]))
  const jobs: Record<string, string> = {}
  const logs: Record<string, string> = {}
  for (const json of text.split('\n').filter((each) => each.startsWith('{'))) {
    const line = lineSchema.parse(JSON.parse(json))
    if (line.job === undefined) continue
    const plain = nameOf(line)
    const name = known.get(sortValues(plain)) ?? plain
    if (line.jobResult !== undefined) jobs[name] = line.jobResult
    if (line.raw_output) logs[name] = `${logs[name] ?? ''}${line.msg}`
  }
  return { jobs, logs }
}

// act numbers matrix jobs where GitHub shows their values: `Flow/build-2` for `build (linux, 20)`.
function nameOf({ job = '', jobID = '', matrix }: Line): string {
  const values = Object.values(matrix ?? {})
  const name = job.slice(job.indexOf('/') + 1)
  if (values.length === 0) return name
  const base = name.trim().replace(/-\d+$/, '')
  return base === jobID ? `${base} (${values.join(', ')})` : base
}

// act loses the order of a matrix's keys.
function sortValues(name: string): string {
  return name.replace(/\((.*)\)$/, (_, values: string) => `(${values.split(', ').sort().join(', ')})`)
}
