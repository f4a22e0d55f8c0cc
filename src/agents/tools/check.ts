import * as z from 'zod'
import { asData } from '../brief/data.ts'
import { defineTool, done, failed } from './tool.ts'

const OUTPUT_BYTES = 6000

export const runCheck = defineTool({
  name: 'run_check',
  description: "Runs the maintainer's quick check on the files as they are now.",
  input: z.strictObject({}),
  run: async (_input, { workplace, signal }) => {
    if (workplace.check === undefined) return failed('there is no check here')
    const { passed, output } = await workplace.check(signal)
    return done(`${passed ? 'passed' : 'failed'}\n${asData('the check', output, OUTPUT_BYTES)}`)
  },
})
