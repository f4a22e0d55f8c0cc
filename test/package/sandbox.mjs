// Runs a workflow with artifacts and a mapped action in the sandbox of an installed package:
// `node test/package/sandbox.mjs FOLDER`, where FOLDER has node_modules/loreley and nothing else of ours.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const WORKFLOW = `on: workflow_dispatch
jobs:
  pack:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: acme/mapped@v1
      - uses: actions/upload-artifact@v4
        with:
          name: packed
          path: made.txt
          if-no-files-found: error
  unpack:
    needs: pack
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with:
          name: packed
      - run: grep -q mapped made.txt
`
const ACTION =
  'name: m\ndescription: d\nruns:\n  using: composite\n  steps:\n    - run: echo mapped > made.txt\n      shell: bash\n'
const MAX_POLLS = 120

const folder = await mkdtemp(join(tmpdir(), 'loreley-package-'))
await mkdir(join(folder, 'mapped'))
await writeFile(join(folder, 'mapped', 'action.yml'), ACTION)
const main = join(process.argv[2], 'node_modules/loreley/dist/entrypoints/cli/main.js')
const args = ['sandbox', '--json', '--port', '0', '--action', `acme/mapped=${join(folder, 'mapped')}`]
const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(child, 'exit')
try {
  const [line] = await Promise.race([once(child.stdout, 'data'), ended])
  if (child.exitCode !== null) throw new Error('the sandbox did not start')
  const conclusion = await runWorkflow(JSON.parse(String(line)))
  if (conclusion !== 'success') throw new Error(`the run's conclusion is ${conclusion}`)
  console.log('the installed sandbox runs workflows with artifacts')
} finally {
  child.kill('SIGINT')
  await ended
  await rm(folder, { recursive: true, force: true })
}

async function runWorkflow({ apiUrl, users }) {
  const { token } = users.find(({ login }) => login === 'wendy')
  const call = async (method, path, body) => {
    const answer = await fetch(`${apiUrl}/repos/acme/demo/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return await answer.json()
  }
  const content = Buffer.from(WORKFLOW).toString('base64')
  await call('PUT', 'contents/.github/workflows/pack.yml', { message: 'Add a workflow', content })
  const dispatch = { ref: 'main', return_run_details: true }
  const { workflow_run_id: id } = await call('POST', 'actions/workflows/pack.yml/dispatches', dispatch)
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const run = await call('GET', `actions/runs/${id}`)
    if (run.status === 'completed') return run.conclusion
    await delay(500)
  }
  return 'none, it takes too long'
}
