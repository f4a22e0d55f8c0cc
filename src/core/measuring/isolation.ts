/** How candidate code was kept apart while it was measured. */
export interface UsedIsolation {
  /** In namespaces of its own, as another user without them, or not at all. */
  readonly level: 'namespace' | 'user' | 'none'
  readonly network: 'none' | 'host'
  /** In namespaces, but as the user that the host runs as. */
  readonly user?: 'own' | undefined
}
