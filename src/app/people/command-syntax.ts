/** Limits that `/loreley budget` may change. */
const BUDGETS = ['candidates', 'dollars', 'tokens', 'runner_minutes', 'parallel'] as const
export type BudgetName = (typeof BUDGETS)[number]

/** What a person asks for, by comment, checkbox or button. */
export type Command =
  | { readonly name: 'pause' | 'stop' | 'status' | 'help' | 'retry-failed' }
  | { readonly name: 'start' | 'resume' /** When it was asked for. */; readonly at?: string | undefined }
  | { readonly name: 'promote' | 'discard' | 'retry' | 'explain'; readonly ordinal: number }
  | { readonly name: 'ci'; readonly pull: number | undefined }
  | { readonly name: 'budget'; readonly what: BudgetName; readonly amount: number }

export type CommandReading =
  | { readonly status: 'command'; readonly command: Command }
  | { readonly status: 'unknown'; readonly hint: string }

const PLAIN = ['start', 'pause', 'resume', 'stop', 'status', 'help'] as const
const ON_CANDIDATE = ['promote', 'discard', 'retry', 'explain'] as const
const HELP_HINT = 'Try `/loreley help`.'

/** Reads a comment whose first word is `/loreley`; undefined for any other. Only its first line counts. */
export function findCommand(body: string): CommandReading | undefined {
  const [line = ''] = body.slice(0, 1000).split(/\r?\n/)
  const [first, name = '', ...rest] = line.trim().split(/\s+/)
  if (first !== '/loreley') return undefined
  const plain = PLAIN.find((known) => known === (name === '' ? 'help' : name))
  if (plain !== undefined) return { status: 'command', command: { name: plain } }
  const onCandidate = ON_CANDIDATE.find((known) => known === name)
  if (onCandidate !== undefined) return readCandidateCommand(onCandidate, rest[0] ?? '')
  if (name === 'ci') return readCi(rest[0])
  if (name === 'budget') return readBudget(rest)
  return { status: 'unknown', hint: `I do not know that command. ${HELP_HINT}` }
}

function readCandidateCommand(name: (typeof ON_CANDIDATE)[number], id: string): CommandReading {
  const [, digits] = /^(?:[a-z0-9-]{1,40}-)?(\d{1,9})$/.exec(id) ?? []
  if (digits === undefined)
    return { status: 'unknown', hint: `\`${name}\` needs a candidate, such as 42. ${HELP_HINT}` }
  return { status: 'command', command: { name, ordinal: Number(digits) } }
}

function readCi(given: string | undefined): CommandReading {
  if (given === undefined) return { status: 'command', command: { name: 'ci', pull: undefined } }
  const [, digits] = /^#?(\d{1,9})$/.exec(given) ?? []
  if (digits === undefined)
    return { status: 'unknown', hint: `\`ci\` needs a pull request, such as #12. ${HELP_HINT}` }
  return { status: 'command', command: { name: 'ci', pull: Number(digits) } }
}

function readBudget([what, given]: readonly string[]): CommandReading {
  const known = BUDGETS.find((budget) => budget === what)
  const amount = Number(given)
  const isWhole = known !== 'dollars' && known !== 'runner_minutes'
  if (
    known === undefined ||
    !(amount > 0) ||
    amount > 1_000_000_000 ||
    (isWhole && !Number.isInteger(amount))
  )
    return { status: 'unknown', hint: `\`budget\` needs one of ${BUDGETS.join(', ')} and a number above 0.` }
  return { status: 'command', command: { name: 'budget', what: known, amount } }
}

/** The command behind a ticked box of a dashboard, which never offers CI: only the pull request itself does. */
export function commandOfBox(marker: string): Command | undefined {
  if (marker === 'pause' || marker === 'resume') return { name: marker }
  if (marker === 'retry') return { name: 'retry-failed' }
  const [, digits] = /^promote=(\d{1,9})$/.exec(marker) ?? []
  return digits === undefined ? undefined : { name: 'promote', ordinal: Number(digits) }
}

/** The buttons of a candidate's check run, and what they mean. */
export const BUTTONS = [
  { identifier: 'promote', label: 'Promote', description: 'Confirm it, open a pull request' },
  { identifier: 'retry', label: 'Re-evaluate', description: 'Measure it once more' },
  { identifier: 'discard', label: 'Discard', description: 'Never offer it or build on it' },
] as const

/** The command behind a pressed button. */
export function commandOfButton(identifier: string, ordinal: number): Command | undefined {
  const button = BUTTONS.find((known) => known.identifier === identifier)
  return button && { name: button.identifier, ordinal }
}
