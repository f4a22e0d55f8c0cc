import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LoreleyError } from '../src/errors.ts'

const TEMPLATE = fileURLToPath(new URL('../workflows-templates/loreley.yml', import.meta.url))
const HOSTED = '    runs-on: ubuntu-24.04\n'

/** How a variant differs from the template; everything else is the same, word for word. */
interface Variant {
  /** What its reader should know besides. */
  readonly notes: string
  /** Where the job that runs candidate code runs. */
  readonly evaluate: string
}

const SELF_HOSTED: Variant = {
  notes: `#
# This variant measures on a machine of your own, with the label \`loreley\`:
# - Only \`evaluate\` goes there. \`propose\` stays on a fresh machine of GitHub's: one that has run candidate code
#   before must not see the key.
# - The machine needs Linux, git 2.38 or later, and sudo without a password (or root): without it candidates cannot be
#   kept apart, and the run fails rather than go on.
# - Give it to this one repository, for this alone, and let it be ephemeral. In a public repository do not use it:
#   whoever is root on a machine that stays can wait there for the next job.
`,
  evaluate: '    runs-on: [self-hosted, linux, loreley]\n',
}

const CONTAINER: Variant = {
  notes: `#
# This variant measures in a container image of your choice, on a machine of GitHub's:
# - Put in your own image, by digest: a tag can be moved. It needs git 2.38 or later, util-linux (for unshare and
#   setpriv) and iproute2 (or perl, which this one has: for localhost inside of the candidate's namespaces), and must
#   run as root, which is Docker's default. Candidates do not: they become another user.
# - SYS_ADMIN and NET_ADMIN are for our own process, which makes the candidate's namespaces and their localhost with
#   them and drops both before candidate code starts. Without NET_ADMIN candidates cannot reach a server of their own on
#   localhost, and the run warns of it. Without SYS_ADMIN leave \`options\` away: candidates then run as another user with the container's network, and
#   the result says so.
`,
  evaluate: `${HOSTED}    container:
      image: node:24.14.0@sha256:3a09aa6354567619221ef6c45a5051b671f953f0a1924d1f819ffb236e520e6b
      options: --cap-add SYS_ADMIN --cap-add NET_ADMIN --security-opt apparmor=unconfined
`,
}

/** The template for machines of one's own. */
export const renderSelfHosted = (): string => renderVariant(SELF_HOSTED)

/** The template for a container image. */
export const renderContainer = (): string => renderVariant(CONTAINER)

function renderVariant({ notes, evaluate }: Variant): string {
  const [propose = '', rest = ''] = readFileSync(TEMPLATE, 'utf8').split(/(?=^ {2}evaluate:$)/m)
  return swap(propose, 'name: Loreley\n', `${notes}name: Loreley\n`) + swap(rest, HOSTED, evaluate)
}

function swap(text: string, from: string, to: string): string {
  if (text.split(from).length === 2) return text.replace(from, () => to)
  const hint = 'Look at workflows-templates/loreley.yml: it has changed where the variants differ from it.'
  throw new LoreleyError('internal', `There must be one ${JSON.stringify(from)} to replace.`, hint)
}
