import type { ChangedPath } from './changed-path.ts'

// Far beyond what a person would read; the size rules come first and are stricter by default.
const MAX_SCANNED_CHARACTERS = 1_048_576

/**
 * The changes that bring a credential the file did not have: cloud and model keys, tokens, private keys, passwords
 * in URLs, by secretlint's recommended rules. Their texts never leave this function: a verdict names paths.
 */
export async function findSecrets(changes: readonly ChangedPath[]): Promise<readonly ChangedPath[]> {
  // Loaded at the first use: the rules are a megabyte that most commands never need.
  const { lintSource } = await import('@secretlint/core')
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
  const config = { rules: [{ id: creator.meta.id, rule: creator, options: {}, rules: [] }] }
  const found: ChangedPath[] = []
  for (const change of changes) {
    const content = change.after?.text.slice(0, MAX_SCANNED_CHARACTERS) ?? ''
    if (content === '') continue
    const source = { filePath: `/${change.path}`, content, contentType: 'text' as const }
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } })
    const known = change.before?.text ?? ''
    if (messages.some(({ range: [from, to] }) => !known.includes(content.slice(from, to)))) found.push(change)
  }
  return found
}
