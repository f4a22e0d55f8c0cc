import type { UsedIsolation } from '../../core/measuring/provenance.ts'

/** How candidate code was kept apart, in words. */
export function renderIsolation({ level, network, user }: UsedIsolation): string {
  if (level === 'none') return 'none'
  const who = user === 'own' ? 'the same user' : 'another user'
  const where = level === 'namespace' ? ', in namespaces of its own' : ''
  return `${who}${where}, ${network === 'none' ? 'without network' : 'with the network of the machine'}`
}
