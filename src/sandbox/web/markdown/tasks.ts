const TASK = /^(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(\]\s)/

/** The state of a task in a line of Markdown, or undefined if there is none. */
export function findTask(line: string): { readonly done: boolean } | undefined {
  const mark = TASK.exec(`${line} `)?.[2]
  return mark === undefined ? undefined : { done: mark !== ' ' }
}

/** The text with the task on one line toggled, or undefined if there is none. */
export function toggleTask(text: string, line: number): string | undefined {
  const lines = text.split('\n')
  const task = findTask(lines[line] ?? '')
  if (task === undefined) return undefined
  lines[line] = `${lines[line]} `
    .replace(
      TASK,
      (_all, before: string, _mark: string, after: string) => `${before}${task.done ? ' ' : 'x'}${after}`,
    )
    .slice(0, -1)
  return lines.join('\n')
}
