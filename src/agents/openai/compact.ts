import type { Message } from './chat.ts'

// The model is working on the newest messages. They are shortened last, and the last exchange never.
const KEPT = [6, 2] as const
const SHORT = 400

/**
 * Drops old tool results and long arguments, oldest first, until the conversation has at most `maxCharacters` or
 * nothing is left to drop. The brief stays complete.
 */
export function compact(messages: readonly Message[], maxCharacters: number): readonly Message[] {
  const compacted = [...messages]
  let characters = JSON.stringify(compacted).length
  for (const kept of KEPT) {
    for (let index = 0; index < compacted.length - kept && characters > maxCharacters; index++) {
      const message = compacted[index]
      const shorter = message && shorten(message)
      if (shorter === undefined) continue
      characters -= JSON.stringify(message).length - JSON.stringify(shorter).length
      compacted[index] = shorter
    }
  }
  return compacted
}

function shorten(message: Message): Message | undefined {
  if (message.role === 'tool' && typeof message.content === 'string' && message.content.length > SHORT)
    return { ...message, content: `[left out to save room: ${message.content.length} characters]` }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return undefined
  const calls = message.tool_calls.map((call) =>
    call.type === 'function' && call.function.arguments.length > SHORT
      ? { ...call, function: { ...call.function, arguments: '{"note":"left out to save room"}' } }
      : call,
  )
  return { ...message, tool_calls: calls }
}
