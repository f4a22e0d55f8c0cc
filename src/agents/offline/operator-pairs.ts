/** What an operator may become. The first is the nearest in meaning. */
const COUNTERPARTS: Readonly<Record<string, readonly string[]>> = {
  '+': ['-', '*'],
  '-': ['+'],
  '*': ['/', '+'],
  '/': ['*'],
  '**': ['*'],
  '<': ['<=', '>'],
  '<=': ['<', '>='],
  '>': ['>=', '<'],
  '>=': ['>', '<='],
  '==': ['!='],
  '!=': ['=='],
  '===': ['!=='],
  '!==': ['==='],
  '~=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  and: ['or'],
  or: ['and'],
  '+=': ['-=', '*='],
  '-=': ['+='],
  '*=': ['/=', '+='],
  '/=': ['*='],
  '++': ['--'],
  '--': ['++'],
}

/** True when the token is an operator that can become another. */
export function hasCounterpart(token: string): boolean {
  return Object.hasOwn(COUNTERPARTS, token)
}

/** What the operator may become, the nearest in meaning first; empty for other tokens. */
export function counterpartsOf(token: string): readonly string[] {
  return (hasCounterpart(token) ? COUNTERPARTS[token] : undefined) ?? []
}
