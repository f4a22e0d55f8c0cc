import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LoreleyError } from '../src/errors.ts'

const TEMPLATE = fileURLToPath(new URL('../workflows-templates/loreley.yml', import.meta.url))
const HOSTED = '    runs-on: ubuntu-24.04\n'

/** How a variant differs from the template. Everything else is identical. */
interface Variant {
  /** What its reader should know in addition. */
  readonly notes: string
  /** Where the job that runs candidate code runs. */
  readonly evaluate: string
}

const SELF_HOSTED: Variant = {
  notes: `#
# This variant measures on your own machine, with the label \`loreley\`:
# - Only \`evaluate\` runs there. \`propose\` stays on a fresh machine of GitHub's: a machine that has run candidate code
#   must not see the key.
# - The machine needs Linux, git 2.38 or later, and passwordless sudo (or root). Otherwise candidates cannot be isolated,
#   and the run fails.
# - Register it for this repository only, use it for nothing else, and make it ephemeral. Do not use it in a public
#   repository: whoever is root on a machine that persists can wait there for the next job.
`,
  evaluate: '    runs-on: [self-hosted, linux, loreley]\n',
}

const CONTAINER: Variant = {
  notes: `#
# This variant measures in a container image of your choice, on GitHub's machines:
# - Put in your own image, by digest: a tag can be moved. It needs git 2.38 or later and util-linux (for unshare and
#   setpriv). For localhost inside the candidate's namespaces it needs iproute2, or perl, which this image has. It must
#   run as root, which is Docker's default. Candidates do not: they become another user.
# - SYS_ADMIN and NET_ADMIN are for our own process. It creates the candidate's namespaces and their localhost, and drops
#   both capabilities before candidate code starts.
# - Without NET_ADMIN, candidates cannot reach their own server on localhost, and the run warns about it. Without
#   SYS_ADMIN, remove \`options\`: candidates then run as another user with the container's network, and the result says so.
`,
  evaluate: `${HOSTED}    container:
      image: node:24.14.0@sha256:3a09aa6354567619221ef6c45a5051b671f953f0a1924d1f819ffb236e520e6b
      options: --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined
`,
}

/** The template for self-hosted runners. */
export const renderSelfHosted = (): string => renderVariant(SELF_HOSTED)

/** The template for a container image. */
export const renderContainer = (): string => renderVariant(CONTAINER)

function renderVariant({ notes, evaluate }: Variant): string {
  const [propose = '', rest = ''] = readFileSync(TEMPLATE, 'utf8').split(/(?=^ {2}evaluate:$)/m)
  return swap(propose, 'name: Loreley\n', `${notes}name: Loreley\n`) + swap(rest, HOSTED, evaluate)
}

function swap(text: string, from: string, to: string): string {
  if (text.split(from).length === 2) return text.replace(from, () => to)
  const hint = 'workflows-templates/loreley.yml has changed where the variants differ from it.'
  throw new LoreleyError('internal', `Expected exactly one ${JSON.stringify(from)} to replace.`, hint)
}
