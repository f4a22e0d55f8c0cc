import * as z from 'zod'

export const archiveSchema = z
  .strictObject({
    refs: z
      .enum(['auto', 'branches', 'hidden'])
      .default('auto')
      .describe(
        'Where elites are published: as branches `loreley/elite/…` (branches), or below `refs/loreley/elite/`, where nothing looks that acts on branches (hidden). `auto` means branches, unless the repository on GitHub has something that they would set off or that would refuse them: a workflow on `create` or `delete`, Vercel, a Jenkinsfile, a ruleset. The dashboard then says which.',
      ),
  })
  .prefault({})
  .describe('How the archive is published.')
