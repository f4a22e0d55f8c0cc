import type { Detected } from './detect.ts'

const SCHEMA_PATH = 'node_modules/loreley/schema/loreley.schema.json'

// Fails with a plain message until the maintainer replaces it.
const NO_COMMAND = 'echo "replace evaluation.command in .loreley.yml first" >&2; exit 1'

/** A first `.loreley.yml`, commented and valid as it stands. */
export function renderStarterConfig(detected: Detected): string {
  return `# yaml-language-server: $schema=${SCHEMA_PATH}
# What Loreley should improve here. All keys: docs/reference/config.md of the loreley package; check with: loreley validate
version: 1

# 1. What to improve, in plain words.
goal: Make the program faster without changing what it does.
constraints:
  - The public interface stays as it is.

# 2. What candidates may change, and what they may not. Put your tests under protected.
scope:
  editable: ${list(detected.editable)}
  protected: ${list(detected.protected)}

# 3. How a candidate is measured. PUT YOUR MEASURING COMMAND HERE.
#    It must exit with code 0 and print the metrics: a number or a JSON object such as {"seconds": 1.23} as the last
#    line, or lines such as METRIC seconds=1.23
#    Let it start the code that candidates change as a program of its own, with loreley-candidate, for example
#      loreley-candidate node src/main.js < input.json
#    and judge the answer. Code that it loads into its own process can print any number.
evaluation:
  command: ${quote(detected.benchmark ?? NO_COMMAND)}
${setupLines(detected)}${gateLines(detected)}  timeout_seconds: 300

# 4. What better means. PUT THE NAME OF YOUR METRIC HERE; direction is maximize or minimize.
objectives:
  - metric: seconds
    direction: minimize

# 5. What the search may spend.
limits:
  candidates: 100
  parallel: 2
`
}

function setupLines({ setup }: Detected): string {
  if (setup === undefined) return '  # setup: a command that installs dependencies, if there are any\n'
  return `  # Installs dependencies, once per set of lockfiles.\n  setup: ${quote(setup)}\n`
}

function gateLines({ test }: Detected): string {
  if (test === undefined) return '  # gates: [a command that must pass, such as your tests]\n'
  return `  # What must pass before a candidate is measured.\n  gates:\n    - ${quote(test)}\n`
}

function list(globs: readonly string[]): string {
  return `[${globs.map(quote).join(', ')}]`
}

// JSON strings are valid double-quoted YAML strings, so every glob and command is escaped correctly.
function quote(text: string): string {
  return JSON.stringify(text)
}
