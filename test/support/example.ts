import { commitFolder } from '../../src/git/new-repository.ts'
import { aFolder, gitEnvironment, writeFiles } from './repository.ts'

// The nearer the numbers of the two files are to 7, the better. One small process of the system, no Node.
const EVALUATOR = `#!/bin/sh
cat src/a.js src/b.js | awk '
{
  line = $0
  while (match(line, /[0-9]+([.][0-9]+)?/)) {
    count++
    distance = substr(line, RSTART, RLENGTH) - 7
    if (distance < 0) distance = -distance
    sum += 1 / (1 + distance)
    line = substr(line, RSTART + RLENGTH)
  }
}
END { printf "{\\"score\\": %.6f, \\"count\\": %d}\\n", sum / 6, count }'
`

/** The tiny example's config; extra lines go to the end of the file. */
export function exampleConfig(extra = ''): string {
  return `goal: Numbers near seven.
scope: { editable: ["src/**"] }
objectives: [{ metric: score, direction: maximize }]
evaluation: { command: sh evaluate.sh, timeout_seconds: 20, baseline_runs: 2 }
search:
  axes: [{ metric: count, min: 0, max: 12 }, { change: churn }]
${extra}`
}

/** The files of a project that costs next to nothing to evaluate, and that the offline agent can make better. */
export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  '.loreley.yml': exampleConfig(),
  'evaluate.sh': EVALUATOR,
  'src/a.js': 'export const first = 1\nexport const second = 20\n\nexport const sum = first + second * 3\n',
  'src/b.js': 'export function third(x) {\n  if (x > 4) return x - 1\n  return x * 2.5\n}\n',
  'docs/notes.md': 'Nothing to see.\n',
}

/** A repository with one commit of the example; the same files give the same commit. `files` add to it or replace. */
export async function anExample(
  files: Readonly<Record<string, string>> = {},
  folder = aFolder(),
): Promise<string> {
  writeFiles(folder, { ...EXAMPLE_FILES, ...files })
  await commitFolder(folder, 'example', gitEnvironment)
  return folder
}
