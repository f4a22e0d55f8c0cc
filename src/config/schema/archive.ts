import * as z from 'zod'

export const archiveSchema = z
  .strictObject({
    refs: z
      .enum(['auto', 'branches', 'hidden'])
      .default('auto')
      .describe(
        'Where elites are published. `branches`: as branches `loreley/elite/…`. `hidden`: as refs under `refs/loreley/elite/`, which trigger nothing. `auto`: as branches, unless they would trigger something in the repository or be refused (a workflow on `create` or `delete`, Vercel, a Jenkinsfile, a ruleset). The dashboard then says why.',
      ),
  })
  .prefault({})
  .describe('How the archive is published.')
