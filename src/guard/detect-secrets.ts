import type { ChangedPath } from './changed-path.ts'
import { giveTurn } from './give-turn.ts'

// Tokens with a recognisable prefix from services that secretlint's rules lack.
const MORE_TOKENS =
  /\b(?:gh[pousr]_\d+_eyJ[\w.-]{20,}|glpat-[\w-]{20,}|AIza[\w-]{35}|[sr]k_live_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,}|dop_v1_[0-9a-f]{64}|pypi-AgEI[\w-]{50,}|dckr_pat_[\w-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{50,})/g

/**
 * The changes that add a credential the file did not have: cloud and model keys, tokens, private keys, passwords in
 * URLs. Uses secretlint's recommended rules and a few of ours, on the whole text. The credentials never leave this
 * function: a verdict names only paths.
 */
export async function findSecrets(changes: readonly ChangedPath[]): Promise<readonly ChangedPath[]> {
  // Loaded on first use: most commands never need this megabyte of rules.
  const { lintSource } = await import('@secretlint/core')
  const { creator } = await import('@secretlint/secretlint-rule-preset-recommend')
  const config = { rules: [{ id: creator.meta.id, rule: creator, options: {}, rules: [] }] }
  const found: ChangedPath[] = []
  let scanned = 0
  for (const change of changes) {
    const content = change.after?.text ?? ''
    if (content === '') continue
    const source = { filePath: `/${change.path}`, content: disarm(content), contentType: 'text' as const }
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } })
    const known = change.before?.text ?? ''
    const credentials = [
      ...messages.map(({ range: [from, to] }) => content.slice(from, to)),
      ...(content.match(MORE_TOKENS) ?? []),
    ]
    if (credentials.some((credential) => !known.includes(credential))) found.push(change)
    scanned = await giveTurn(scanned + content.length)
  }
  return found
}

// The preset obeys comments such as `// secretlint-disable`, which a candidate can write. The replacement has the same
// length, so ranges stay valid.
function disarm(text: string): string {
  return text.replaceAll(/secretlint-/gi, 'secretlint_')
}
