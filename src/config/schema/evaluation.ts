import * as z from 'zod'
import { leastPairs } from '../../core/measuring/stats/sampling.ts'
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
        'How the metrics are printed: a number or a JSON object on the last line, METRIC name=value lines, a JSON file, or the JSON of github-action-benchmark. auto recognises what is printed, and refuses METRIC lines beside a JSON object with numbers or a last line that is a number. A METRIC form that does not begin its line, a key that is given twice and a metric that is printed twice with different values are refused.',
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

const samplingSchema = z
  .strictObject({
    min_pairs: z
      .int()
      .min(2)
      .max(200)
      .default(6)
      .describe('How often candidate and root are measured in turns at the least.'),
    max_pairs: z
      .int()
      .min(2)
      .max(200)
      .default(20)
      .describe('How often at the most; fewer when the verdict is clear before.'),
    confidence: z
      .number()
      .min(0.8)
      .max(0.99999)
      .default(0.993)
      .describe('How sure it must be that a candidate is better before it counts as better.'),
    smallest_gain: z
      .number()
      .positive()
      .max(1000)
      .default(0.1)
      .describe(
        'The gain, as a share, that must stand out from the noise; a campaign whose baseline varies too much for it pauses before anything is spent.',
      ),
  })
  .superRefine(({ min_pairs, max_pairs, confidence }, context) => {
    const least = leastPairs(confidence)
    if (max_pairs < least)
      context.addIssue({
        code: 'custom',
        path: ['max_pairs'],
        message: `must be at least ${least} for a confidence of ${confidence}: fewer pairs cannot be that sure, and no candidate could ever count as better`,
        params: { hint: `Set max_pairs to ${least} or more, or ask for less confidence.` },
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
  command: shellLine.describe('A cheap shell line that prints the same metrics, on smaller inputs.'),
  timeout_seconds: timeoutSeconds
    .optional()
    .describe('After this the candidate is invalid. By default evaluation.timeout_seconds.'),
  tolerance: z
    .number()
    .min(0)
    .max(0.99)
    .default(0.5)
    .describe(
      "How much worse than the root's the first objective may be, as a share, before it is given up.",
    ),
})

const heldOutSchema = z.strictObject({
  command: shellLine.describe('A shell line that prints the same metrics on inputs that no agent has seen.'),
  timeout_seconds: timeoutSeconds
    .optional()
    .describe('After this the confirmation has failed. By default evaluation.timeout_seconds.'),
  paths: z
    .array(relativePath)
    .default([])
    .describe(
      'Files and folders that only this command needs: agents and other commands do not get them, candidates may not change them.',
    ),
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
        "The evaluator's own files, which no candidate may change. Always among them are those that the measuring commands name, and the held-out paths; those that gates name only where this is not set. A command names a file in whatever spelling, a Python module (`-m`), a folder whole where its name says that it measures (tests, bench, eval…), and what the scripts of package.json and the targets of makefiles behind it start. A Python script in such a folder brings the modules that it imports from there. What these only compile, and what a measuring file imports otherwise, is not guessed: list it here. `loreley validate` shows what counts.",
      ),
    environment: environmentNames
      .default([])
      .describe('Names of environment variables that the commands may see. All others are hidden.'),
    isolation: z
      .enum(['auto', 'namespace', 'user', 'none'])
      .default('auto')
      .describe(
        'How candidate code is kept apart: in namespaces of its own (as another user, where `loreley run` is not root as the same one), as another user, or not at all. auto takes the best that works: on a runner at least user, or nothing is run; on your own machine that may be none, and it says so.',
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
    max_disk_mb: z
      .int()
      .min(1)
      .max(1_048_576)
      .default(4096)
      .describe(
        'How much disk, in MB, the commands in one work folder may take beyond the files they start with. More ends them, and the candidate is invalid; an agent that is a command is held to it too.',
      ),
    baseline_runs: z
      .int()
      .min(2)
      .max(20)
      .default(3)
      .describe('How often the root is measured first, to see whether its numbers vary.'),
    sampling: samplingSchema
      .prefault({})
      .describe('How a candidate is measured when the numbers vary: in turns with the root.'),
    quick: quickSchema
      .optional()
      .describe('A first, cheap measurement that gives up on candidates which are far worse than the root.'),
    held_out: heldOutSchema
      .optional()
      .describe('A measurement for confirmations only, never shown to agents.'),
  })
  .describe('How a candidate is measured.')
