import { randomUUID } from 'node:crypto'
import { endGroup, info, startGroup } from '@actions/core'
import { cleanText } from '../../core/clean-text.ts'

const LOG_CHARACTERS = 20_000

/**
 * Prints text that a candidate or a model wrote. The runner obeys lines such as `::add-mask::`, and the older `##[`
 * anywhere in a line. So we tell it to stop listening until it sees an unguessable token, and also break up anything
 * that looks like a command.
 */
export function sayForeign(title: string, text: string): void {
  const word = randomUUID()
  startGroup(title)
  info(`::stop-commands::${word}`)
  for (const line of cleanText(text, LOG_CHARACTERS).split('\n')) info(`| ${line.replaceAll('##[', '## [')}`)
  info(`::${word}::`)
  endGroup()
}

/** Untrusted text as a Markdown block that it cannot close. */
export function quoteForeign(text: string, maxCharacters = 4000): string {
  const plain = cleanText(text, maxCharacters)
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${plain}\n${fence}\n`
}
