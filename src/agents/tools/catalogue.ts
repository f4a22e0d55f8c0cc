import type { Workplace } from '../agent.ts'
import { deleteFile, editFile, moveFile, writeWholeFile } from './change.ts'
import { runCheck } from './check.ts'
import { listFiles, readFileLines, searchText } from './look.ts'
import { showRepoMap } from './repo-map.ts'
import type { Tool } from './tool.ts'

const READING: readonly Tool[] = [listFiles, searchText, readFileLines, showRepoMap]

/** The tools of a planner: it looks, and touches nothing. */
export function planningTools(): readonly Tool[] {
  return READING
}

/** The tools of a coder. */
export function codingTools({ check }: Workplace): readonly Tool[] {
  const tools = [...READING, editFile, writeWholeFile, deleteFile, moveFile]
  return check === undefined ? tools : [...tools, runCheck]
}
