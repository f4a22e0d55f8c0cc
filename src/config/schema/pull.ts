import * as z from 'zod'

export const pullSchema = z
  .strictObject({
    ci: z
      .enum(['ask', 'run'])
      .default('ask')
      .describe(
        "Whether CI runs on a pull request at once (run), or after a writer read it and said so (ask): CI would run unread machine-written code with the repository's secrets.",
      ),
  })
  .prefault({})
  .describe('The pull requests that offer candidates to people.')
