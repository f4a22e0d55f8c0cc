import * as z from 'zod'

export const pullSchema = z
  .strictObject({
    ci: z
      .enum(['ask', 'run'])
      .default('ask')
      .describe(
        "When CI runs on a pull request. run: at once. ask: after a writer has read the diff and released it, because CI runs machine-written code with the repository's secrets.",
      ),
  })
  .prefault({})
  .describe('The pull requests that offer candidates to people.')
