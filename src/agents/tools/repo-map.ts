import * as z from 'zod'
import { renderRepoMap } from '../repo-map/render.ts'
import { defineTool, done } from './tool.ts'

const MAP_BYTES = 8000

export const showRepoMap = defineTool({
  name: 'repo_map',
  description: 'Shows the most important editable files and what they define, with line numbers.',
  input: z.strictObject({
    about: z
      .string()
      .max(500)
      .default('')
      .describe('Words that matter now; files that have them come first.'),
  }),
  run: async ({ about }, { workplace, focus, signal }) =>
    done(await renderRepoMap(workplace, { focus: `${about} ${focus}`, maxBytes: MAP_BYTES, signal })),
})
