import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Box } from '../../box.ts'

/** The path of a job's log. */
export function logFile(box: Box, jobId: number): string {
  return join(box.folder, 'actions', 'logs', `${jobId}.txt`)
}

/** Appends lines to a job's log, each with a timestamp in GitHub's format. */
export function appendLog(box: Box, jobId: number, text: string): void {
  const file = logFile(box, jobId)
  mkdirSync(dirname(file), { recursive: true })
  const time = box.now().toISOString().replace('Z', '0000Z')
  const lines = text.replace(/\n$/, '').split('\n')
  appendFileSync(file, lines.map((line) => `${time} ${line}\n`).join(''))
}

/** A job's log so far, or undefined if it is empty. */
export function findLog(box: Box, jobId: number): Buffer | undefined {
  const file = logFile(box, jobId)
  return existsSync(file) ? readFileSync(file) : undefined
}
