import type { UsedIsolation } from '../../core/measuring/provenance.ts'

/** How candidate code was isolated. */
export function renderIsolation({ level, network, user }: UsedIsolation): string {
  if (level === 'none') return 'none'
  const who = user === 'own' ? 'same user' : 'separate user'
  const where = level === 'namespace' ? ' and namespaces' : ''
  return `${who}${where}, ${network === 'none' ? 'no network' : 'host network'}`
}
