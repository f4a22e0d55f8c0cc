import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const FOLDER = fileURLToPath(new URL('../fixtures/workflows', import.meta.url))

const conclusion = z.enum(['success', 'failure', 'cancelled', 'skipped', 'timed_out'])

const expectedSchema = z.strictObject({
  /** Secrets of the repository. */
  secrets: z.record(z.string(), z.string()).default({}),
  conclusion,
  title: z.string().optional(),
  /** Every job of the run, by name. */
  jobs: z.record(z.string(), conclusion),
  logs: z
    .record(
      z.string(),
      z.strictObject({ has: z.array(z.string()).default([]), hasNot: z.array(z.string()).default([]) }),
    )
    .default({}),
  /** Every artifact of the run, with its files. */
  artifacts: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Where act deviates from GitHub, with reasons: the whole case, or single lines of `findDifferences`. */
  act: z
    .union([
      z.strictObject({ leftOut: z.string() }),
      z.strictObject({ deviations: z.record(z.string(), z.string()) }),
    ])
    .default({ deviations: {} }),
})

export type Expected = z.output<typeof expectedSchema>

/** A repository with one workflow, `.github/workflows/w.yml`, and the expected result of its run. */
export interface Case {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly expected: Expected
}

export function loadCases(): Case[] {
  return readdirSync(FOLDER).map((name) => {
    const files = readFiles(join(FOLDER, name))
    const { 'expected.json': expected = '', ...rest } = files
    return { name, files: rest, expected: expectedSchema.parse(JSON.parse(expected)) }
  })
}

function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const files = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(files.map((file) => [relative(folder, file), readFileSync(file, 'utf8')]))
}
