import * as z from 'zod'
import { environmentNames, relativePath, shellLine, timeoutSeconds } from './scalars.ts'

const gateSchema = z
  .union([
    shellLine,
    z.strictObject({
      name: z
        .string()
        .trim()
        .min(1)
        .max(4000)
        .optional()
        .describe('What reports call this gate. By default its command.'),
      command: shellLine.describe('The shell line of the gate.'),
      timeout_seconds: timeoutSeconds
        .optional()
        .describe('After this the gate counts as failed. By default evaluation.timeout_seconds.'),
    }),
  ])
  .describe('A shell line, or a mapping of name, command and timeout_seconds.')

const outputSchema = z
  .strictObject({
    form: z
      .enum(['auto', 'last-line', 'metric-lines', 'json-file', 'benchmark'])
      .default('auto')
      .describe(
        'How the metrics are printed: a number or a JSON object on the last line, METRIC name=value lines, a JSON file, or the JSON of github-action-benchmark. auto recognises what is printed.',
      ),
    file: relativePath.optional().describe('The file that holds the metrics; needed for the form json-file.'),
  })
  .superRefine(({ form, file }, context) => {
    if (form === 'json-file' && file === undefined)
      context.addIssue({
        code: 'custom',
        path: ['file'],
        message: 'is required when form is json-file, and is missing',
        params: { hint: 'Name the file that the command writes, for example `file: metrics.json`.' },
      })
  })

export const evaluationSchema = z
  .strictObject({
    command: shellLine.describe('The shell line that measures a candidate and prints its metrics.'),
    setup: shellLine
      .optional()
      .describe('The shell line that installs dependencies; run once for each root and lockfiles.'),
    gates: z
      .array(gateSchema)
      .default([])
      .describe('Checks that must pass before anything is measured, such as "npm test".'),
    timeout_seconds: timeoutSeconds
      .default(300)
      .describe('After this the measuring command is stopped and the candidate is invalid.'),
    setup_timeout_seconds: timeoutSeconds.default(900).describe('After this the setup is stopped.'),
    output: outputSchema.prefault({}).describe('Where the metrics are found.'),
    files: z
      .array(relativePath)
      .optional()
      .describe(
        "The evaluator's own files, which no candidate may change. By default worked out from the commands.",
      ),
    environment: environmentNames
      .default([])
      .describe('Names of environment variables that the commands may see. All others are hidden.'),
    isolation: z
      .enum(['auto', 'namespace', 'user', 'none'])
      .default('auto')
      .describe(
        'How candidate code is kept apart: another user in its own namespaces, another user, or not at all. auto takes the best that works; on a runner that is at least user, or nothing is run.',
      ),
    network: z
      .enum(['none', 'host'])
      .default('none')
      .describe('What candidate code reaches when it runs in namespaces; set-up always has the network.'),
    max_output_bytes: z
      .int()
      .min(1024)
      .max(104_857_600)
      .default(1_048_576)
      .describe('How much output of a command is kept, in bytes.'),
    baseline_runs: z
      .int()
      .min(1)
      .max(20)
      .default(3)
      .describe('How often the root is measured first, to learn the noise.'),
  })
  .describe('How a candidate is measured.')
