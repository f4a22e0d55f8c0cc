import * as z from 'zod'
import type { Workspace } from '../agent.ts'
import { asData } from '../brief/data.ts'
import { deleteFile, editFile, moveFile, writeWholeFile } from './editing.ts'
import { listFiles, readFileLines, searchText, showRepoMap } from './reading.ts'
import { defineTool, done, failed, type Tool } from './tool.ts'

const READING: readonly Tool[] = [listFiles, searchText, readFileLines, showRepoMap]

/** The tools of a planner: read-only. */
export function planningTools(): readonly Tool[] {
  return READING
}

/** The tools of a coder. */
export function codingTools({ check }: Workspace): readonly Tool[] {
  const tools = [...READING, editFile, writeWholeFile, deleteFile, moveFile]
  return check === undefined ? tools : [...tools, runCheck]
}

const OUTPUT_BYTES = 6000

const runCheck = defineTool({
  name: 'run_check',
  description: "Runs the maintainer's quick check on the files as they are now.",
  input: z.strictObject({}),
  run: async (_input, { workspace, signal }) => {
    if (workspace.check === undefined) return failed('there is no check here')
    const { passed, output } = await workspace.check(signal)
    return done(`${passed ? 'passed' : 'failed'}\n${asData('the check', output, OUTPUT_BYTES)}`)
  },
})
