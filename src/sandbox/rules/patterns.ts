import { Fields } from '../http/fields.ts'

/** True when a name matches a pattern of a ruleset or environment. `*` stops at a slash, `**` does not. */
export function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\[[^\]]+\]|[\s\S]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    return part.length > 1 ? part.replace(/^\[!/, '[^') : escapeRegExp(part)
  })
  return compile(`^${source}$`)?.test(name) ?? false
}

interface TextPattern {
  readonly test: (text: string) => boolean
  /** The requirement in GitHub's words. */
  readonly wording: string
}

const WORDINGS: Readonly<Record<string, string>> = {
  starts_with: 'start with a matching pattern',
  ends_with: 'end with a matching pattern',
  contains: 'contain a matching pattern',
  regex: 'match a given regex pattern',
}

/** The pattern of a rule such as `branch_name_pattern`. */
export function readTextPattern(parameters: Readonly<Record<string, unknown>> | undefined): TextPattern {
  const fields = new Fields(parameters)
  const pattern = fields.findText('pattern') ?? ''
  const operator = fields.findText('operator') ?? ''
  const negate = fields.findFlag('negate') ?? false
  return {
    test: (text) => fits(operator, pattern, text) !== negate,
    wording: `must ${negate ? 'not ' : ''}${WORDINGS[operator] ?? operator}: ${pattern}`,
  }
}

function fits(operator: string, pattern: string, text: string): boolean {
  switch (operator) {
    case 'starts_with':
      return text.startsWith(pattern)
    case 'ends_with':
      return text.endsWith(pattern)
    case 'contains':
      return text.includes(pattern)
    default:
      return compile(pattern)?.test(text) ?? false
  }
}

// An invalid regular expression matches nothing.
function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
