/** How candidate code was isolated during a measurement. */
export interface UsedIsolation {
  /** In its own namespaces, as another user, or not at all. */
  readonly level: 'namespace' | 'user' | 'none'
  readonly network: 'none' | 'host'
  /** In namespaces, but as the host's own user. */
  readonly user?: 'own' | undefined
}

/** What is known about the measuring machine. */
export interface RunnerFacts {
  /** The hosted image and its version. */
  readonly image?: string | undefined
  /** The requested runner label, from GitHub's own records. */
  readonly label?: string | undefined
}
