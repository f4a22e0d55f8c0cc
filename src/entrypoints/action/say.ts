import { randomUUID } from 'node:crypto'
import { endGroup, info, startGroup } from '@actions/core'
import { cleanText } from '../../core/clean-text.ts'

const LOG_CHARACTERS = 20_000

/**
 * Prints text that a candidate or a model wrote. The runner obeys lines such as `::add-mask::`, and older ones
 * that begin with `##[` anywhere in a line: it is told to stop listening, by a word nobody can guess, and no line
 * begins or reads like a command any more.
 */
export function sayForeign(title: string, text: string): void {
  const word = randomUUID()
  startGroup(title)
  info(`::stop-commands::${word}`)
  for (const line of cleanText(text, LOG_CHARACTERS).split('\n')) info(`| ${line.replaceAll('##[', '## [')}`)
  info(`::${word}::`)
  endGroup()
}

/** Foreign text as a block of Markdown that it cannot close. */
export function quoteForeign(text: string, maxCharacters = 4000): string {
  const plain = cleanText(text, maxCharacters)
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${plain}\n${fence}\n`
}
