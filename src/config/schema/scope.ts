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
      .describe('Patterns of files that candidates may not change, even if they are editable.'),
    max_files: z
      .int()
      .min(1)
      .max(10_000)
      .default(20)
      .describe('The most files one candidate may change. On runners at most 200.'),
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
      .describe('The largest size of a changed file, in bytes.'),
    max_change_bytes: z
      .int()
      .min(1)
      .max(104_857_600)
      .default(1_048_576)
      .describe('The largest total size of all changed files, in bytes. On runners at most 4 MB (4194304).'),
    allow_manifests: z
      .boolean()
      .default(false)
      .describe(
        "Whether candidates may change dependency manifests, lockfiles and build files (Makefile, CMakeLists.txt, Dockerfile…) inside the editable files. Setup still uses the root's files, so a candidate runs with the root's dependencies unless a gate or the command installs others.",
      ),
  })
  .describe('What candidates may touch.')
