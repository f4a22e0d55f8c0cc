import * as z from 'zod'
import { leastPairs } from '../../core/measuring/stats/sampling.ts'
import { environmentNames, relativePath, shellLine, timeoutSeconds } from './scalars.ts'

const expectSchema = z
  .strictObject({
    output: z
      .string()
      .min(1)
      .max(500)
      .superRefine((pattern, context) => {
        try {
          new RegExp(pattern, 'm')
        } catch {
          context.addIssue({
            code: 'custom',
            message: 'must be a regular expression',
            params: { hint: 'Escape characters such as ( and [ with a backslash to mean themselves.' },
          })
        }
      })
      .optional()
      .describe(
        'A regular expression that must match the output (stdout, then stderr), such as "^120 passed". ^ and $ match at line ends.',
      ),
    junit: z
      .strictObject({
        file: relativePath.describe(
          'The JUnit XML file that the gate writes. It is removed before the gate runs.',
        ),
        tests: z
          .int()
          .min(1)
          .max(10_000_000)
          .default(1)
          .describe('The least number of tests that ran. Skipped tests do not count.'),
      })
      .optional()
      .describe('A JUnit report that must exist, be complete, and contain no failure and no error.'),
  })
  .superRefine(({ output, junit }, context) => {
    if (output === undefined && junit === undefined)
      context.addIssue({
        code: 'custom',
        message: 'must contain output or junit',
        params: { hint: 'For example `expect: {output: "[0-9]+ passed"}`.' },
      })
  })

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
        .describe('The name of this gate in reports. Defaults to its command.'),
      command: shellLine.describe('The shell line of the gate.'),
      timeout_seconds: timeoutSeconds
        .optional()
        .describe('After this time the gate fails. Defaults to evaluation.timeout_seconds.'),
      expect: expectSchema
        .optional()
        .describe(
          'What a pass looks like, besides exit code 0: a program that ends early exits with 0 as well.',
        ),
    }),
  ])
  .describe('A shell line, or a mapping of name, command, timeout_seconds and expect.')

const outputSchema = z
  .strictObject({
    form: z
      .enum(['auto', 'last-line', 'metric-lines', 'json-file', 'benchmark'])
      .default('auto')
      .describe(
        'How the metrics are reported: a number or a JSON object on the last line, METRIC name=value lines, a JSON file, or the JSON of github-action-benchmark. auto detects the form. It refuses METRIC lines mixed with a last line that is a number or a JSON object with numbers. It also refuses METRIC in the middle of a line, repeated JSON keys, and a metric printed twice with different values.',
      ),
    file: relativePath.optional().describe('The file with the metrics. Required for the form json-file.'),
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

const samplingSchema = z
  .strictObject({
    min_pairs: z
      .int()
      .min(2)
      .max(200)
      .default(6)
      .describe('The least number of interleaved runs of candidate and root.'),
    max_pairs: z
      .int()
      .min(2)
      .max(200)
      .default(20)
      .describe('The most interleaved runs. Sampling stops early once the verdict is clear.'),
    confidence: z
      .number()
      .min(0.8)
      .max(0.99999)
      .default(0.998)
      .describe('The confidence required before a candidate counts as better.'),
    smallest_gain: z
      .number()
      .positive()
      .max(1000)
      .default(0.1)
      .describe(
        'The smallest gain to detect, as a share. If the baseline is too noisy for that, the campaign pauses before it spends anything.',
      ),
  })
  .superRefine(({ min_pairs, max_pairs, confidence }, context) => {
    const least = leastPairs(confidence)
    if (max_pairs < least)
      context.addIssue({
        code: 'custom',
        path: ['max_pairs'],
        message: `must be at least ${least} for a confidence of ${confidence}: with fewer pairs no candidate could ever count as better`,
        params: { hint: `Set max_pairs to ${least} or more, or lower the confidence.` },
      })
    if (max_pairs < min_pairs)
      context.addIssue({
        code: 'custom',
        path: ['max_pairs'],
        message: `must be at least min_pairs (${min_pairs})`,
        params: { hint: 'Swap the two, or delete one of them.' },
      })
  })

const quickSchema = z.strictObject({
  command: shellLine.describe('A cheap shell line that prints the same metrics for smaller inputs.'),
  timeout_seconds: timeoutSeconds
    .optional()
    .describe('After this time the candidate is invalid. Defaults to evaluation.timeout_seconds.'),
  tolerance: z
    .number()
    .min(0)
    .max(0.99)
    .default(0.5)
    .describe(
      'How much worse than the root the first objective may be, as a share, before the candidate is dropped.',
    ),
})

const heldOutSchema = z.strictObject({
  command: shellLine.describe('A shell line that prints the same metrics for inputs that no agent has seen.'),
  timeout_seconds: timeoutSeconds
    .optional()
    .describe('After this time the confirmation fails. Defaults to evaluation.timeout_seconds.'),
  paths: z
    .array(relativePath)
    .default([])
    .describe(
      'Files and folders that only this command needs. Agents and other commands cannot see them, and candidates cannot change them.',
    ),
})

export const evaluationSchema = z
  .strictObject({
    command: shellLine.describe('The shell line that measures a candidate and prints its metrics.'),
    setup: shellLine
      .optional()
      .describe('The shell line that installs dependencies. It runs once per root and set of lockfiles.'),
    gates: z
      .array(gateSchema)
      .default([])
      .describe('Checks that must pass before a candidate is measured, such as "npm test".'),
    timeout_seconds: timeoutSeconds
      .default(300)
      .describe('After this time the measuring command is stopped and the candidate is invalid.'),
    setup_timeout_seconds: timeoutSeconds.default(900).describe('After this time the setup is stopped.'),
    output: outputSchema.prefault({}).describe('Where to find the metrics.'),
    files: z
      .array(relativePath)
      .optional()
      .describe(
        "The evaluator's own files, which no candidate may change. Files named by the measuring commands and the held-out paths are always included; files named by gates only if this list is not set. A command names files directly, as Python modules (`-m`), as folders whose name suggests measuring (tests, bench, eval…), and through the package.json scripts and makefile targets that it starts. A Python script in such a folder includes the modules that it imports from there. Other imports, and files that are only compiled, are not detected: list them here. `loreley validate` shows the result.",
      ),
    environment: environmentNames
      .default([])
      .describe('Names of environment variables that the commands may see. All others are hidden.'),
    isolation: z
      .enum(['auto', 'namespace', 'user', 'none'])
      .default('auto')
      .describe(
        'How candidate code is isolated. namespace: in its own namespaces, as a separate user (as the same user where `loreley run` has no root). user: as a separate user. none: not at all. auto takes the strongest that works. On a runner it requires at least user; on your own machine it may fall back to none, and says so.',
      ),
    network: z
      .enum(['none', 'host'])
      .default('none')
      .describe('The network that candidate code can reach in namespaces. Setup always has the network.'),
    max_output_bytes: z
      .int()
      .min(1024)
      .max(104_857_600)
      .default(1_048_576)
      .describe('How many bytes of a command’s output are kept.'),
    max_disk_mb: z
      .int()
      .min(1)
      .max(1_048_576)
      .default(4096)
      .describe(
        'How much disk, in MB, the commands in one workspace may use beyond the files they start with. Beyond that they are stopped and the candidate is invalid. The limit also holds for the agent command.',
      ),
    baseline_runs: z
      .int()
      .min(2)
      .max(20)
      .default(3)
      .describe('How often the root is measured at first, to see whether its numbers vary.'),
    sampling: samplingSchema
      .prefault({})
      .describe('How candidates are measured when the numbers vary: interleaved with the root.'),
    quick: quickSchema
      .optional()
      .describe('A first, cheap measurement that drops candidates far worse than the root.'),
    held_out: heldOutSchema.optional().describe('A measurement for confirmations only. Agents never see it.'),
  })
  .describe('How a candidate is measured.')
