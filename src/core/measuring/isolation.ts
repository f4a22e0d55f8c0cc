/** How candidate code was isolated during a measurement. */
export interface UsedIsolation {
  /** In its own namespaces, as another user, or not at all. */
  readonly level: 'namespace' | 'user' | 'none'
  readonly network: 'none' | 'host'
  /** In namespaces, but as the host's own user. */
  readonly user?: 'own' | undefined
}
