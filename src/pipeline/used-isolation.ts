import type { UsedIsolation } from '../core/measuring/provenance.ts'
import type { Isolation } from '../process/isolation/isolation.ts'

/** What is recorded of an isolation, or of there being none. */
export function usedIsolation(isolation: Isolation | undefined): UsedIsolation {
  if (isolation === undefined) return { level: 'none', network: 'host' }
  const { level, network, user } = isolation
  return user === 'own' ? { level, network, user } : { level, network }
}
