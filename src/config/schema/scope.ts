import * as z from 'zod'
import { glob } from './scalars.ts'

export const scopeSchema = z
  .strictObject({
    editable: z
      .array(glob)
      .min(1)
      .describe('Patterns of the files a candidate may change, such as ["src/**"].'),
    protected: z
      .array(glob)
      .default([])
      .describe('Patterns of files that stay as they are, even inside the editable ones.'),
    max_files: z
      .int()
      .min(1)
      .max(10_000)
      .default(20)
      .describe('The most files one candidate may change. On runners never more than 200.'),
    max_lines: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(2000)
      .describe('The most lines one candidate may add or rewrite.'),
    max_file_bytes: z
      .int()
      .min(1)
      .max(104_857_600)
      .default(262_144)
      .describe('The largest a changed file may become, in bytes.'),
    max_change_bytes: z
      .int()
      .min(1)
      .max(104_857_600)
      .default(1_048_576)
      .describe(
        'The largest all changed files of a candidate may be together, in bytes. On runners never more than 4 MB (4194304).',
      ),
    allow_manifests: z
      .boolean()
      .default(false)
      .describe(
        "Whether dependency manifests and lockfiles inside the editable files may be changed. Set-up still runs on the root's: a changed one is measured with the root's dependencies, unless a gate or the command installs its own.",
      ),
  })
  .describe('What candidates may touch.')
