/**
 * True when the patterns of a filter let a name through. They are read in order and the last that fits decides;
 * one with `!` in front takes away what earlier ones let in.
 */
export function passesPatterns(patterns: readonly string[], name: string): boolean {
  let passes = false
  for (const pattern of patterns) {
    const isNegative = pattern.startsWith('!')
    if (toRegExp(isNegative ? pattern.slice(1) : pattern).test(name)) passes = !isNegative
  }
  return passes
}

// GitHub's own signs: `?` and `+` repeat what is before them, `*` stops at a slash, `**` does not.
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/\\[\s\S]|\*\*\/|\*\*|\*|\[[^\]]+\]|[?+]|[\s\S]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?' || part === '+' || /^\[.+\]$/.test(part)) return part
    return part.replace(/^\\(?=.)/, '').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  })
  return new RegExp(`^(?:${source})$`)
}
