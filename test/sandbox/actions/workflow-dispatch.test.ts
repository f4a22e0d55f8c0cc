import type { Octokit } from '@octokit/rest'
import { describe, expect, it } from 'vitest'
import { failure, REPO, startReceiver, startTestBox } from '../support.ts'

const EVOLVE = `name: Evolve
on:
  workflow_dispatch:
    inputs:
      spec: { required: true }
      level: { type: choice, options: [low, high], default: low }
      dry: { type: boolean }
      count: { type: number, default: 3 }
jobs: {}
`
const FILES = {
  'README.md': '# demo\n',
  '.github/workflows/evolve.yml': EVOLVE,
  '.github/workflows/ci.yaml': 'on: [push]\njobs: {}\n',
  '.github/workflows/broken.yml': 'name: [\n',
  '.github/workflows/notes.md': 'no workflow\n',
}
const EVOLVE_FILE = { ...REPO, workflow_id: 'evolve.yml' }

async function changeFile(client: Octokit, path: string, text: string | undefined, branch = 'main') {
  const found = await client.rest.repos.getContent({ ...REPO, path, ref: branch }).then(
    ({ data }) => ('sha' in data ? data.sha : ''),
    () => undefined,
  )
  const draft = { ...REPO, path, branch, message: `change ${path}`, ...(found ? { sha: found } : {}) }
  if (text === undefined) await client.rest.repos.deleteFile({ ...draft, sha: found ?? '' })
  else {
    const content = Buffer.from(text).toString('base64')
    await client.rest.repos.createOrUpdateFileContents({ ...draft, content })
  }
}

describe('workflows', () => {
  it('workflows are the files of the default branch, found by file name or path', async () => {
    const box = await startTestBox({ files: FILES })
    const { data } = await (await box.installation({ actions: 'read' })).rest.actions.listRepoWorkflows(REPO)
    expect(data.workflows.map(({ name, path, state }) => [name, path, state])).toEqual([
      ['.github/workflows/broken.yml', '.github/workflows/broken.yml', 'active'],
      ['.github/workflows/ci.yaml', '.github/workflows/ci.yaml', 'active'],
      ['Evolve', '.github/workflows/evolve.yml', 'active'],
    ])
    const { id } = data.workflows[2] ?? { id: 0 }
    const { actions } = box.as('rita').rest
    expect((await actions.getWorkflow({ ...REPO, workflow_id: id })).data.name).toBe('Evolve')
    expect((await actions.getWorkflow(EVOLVE_FILE)).data.id).toBe(id)
    expect((await failure(actions.getWorkflow({ ...REPO, workflow_id: 'no.yml' }))).status).toBe(404)
    expect((await failure(actions.getWorkflow({ ...REPO, workflow_id: 99 }))).status).toBe(404)
  })

  it('workflows follow the default branch and keep their ids', async () => {
    const box = await startTestBox({ files: FILES })
    const client = box.as('wendy')
    const { data: before } = await client.rest.actions.getWorkflow(EVOLVE_FILE)
    const path = '.github/workflows/evolve.yml'
    await changeFile(client, path, EVOLVE.replace('Evolve', 'Renamed'))
    expect((await client.rest.actions.getWorkflow(EVOLVE_FILE)).data).toMatchObject({
      id: before.id,
      name: 'Renamed',
    })
    await changeFile(client, path, undefined)
    expect((await failure(client.rest.actions.getWorkflow(EVOLVE_FILE))).status).toBe(404)
    const gone = await client.rest.actions.getWorkflow({ ...REPO, workflow_id: before.id })
    expect(gone.data.state).toBe('deleted')
    await changeFile(client, path, EVOLVE)
    expect((await client.rest.actions.getWorkflow(EVOLVE_FILE)).data.id).toBe(before.id)
  })

  it('only writers disable and enable workflows', async () => {
    const box = await startTestBox({ files: FILES })
    const { actions } = box.as('wendy').rest
    expect((await failure(box.as('rita').rest.actions.disableWorkflow(EVOLVE_FILE))).status).toBe(403)
    await actions.disableWorkflow(EVOLVE_FILE)
    expect((await actions.getWorkflow(EVOLVE_FILE)).data.state).toBe('disabled_manually')
    const dispatch = { ...EVOLVE_FILE, ref: 'main', inputs: { spec: 's' } }
    expect(await failure(actions.createWorkflowDispatch(dispatch))).toEqual({
      status: 422,
      message: "Cannot trigger a 'workflow_dispatch' on a disabled workflow",
    })
    await actions.enableWorkflow(EVOLVE_FILE)
    expect((await actions.createWorkflowDispatch(dispatch)).status).toBe(204)
  })
})

describe('workflow_dispatch', () => {
  it('a dispatch queues a run and returns its id when asked', async () => {
    const receiver = await startReceiver()
    const box = await startTestBox({ files: FILES, webhookUrl: receiver.url })
    const client = await box.installation({ actions: 'write' })
    const draft = { ...EVOLVE_FILE, ref: 'main', inputs: { spec: 'x', dry: true, count: 7 } }
    expect((await client.rest.actions.createWorkflowDispatch(draft)).status).toBe(204)
    const named = await client.request(
      'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
      { ...draft, return_run_details: true },
    )
    expect(named.status).toBe(200)
    const run_id = Number(named.data.workflow_run_id)
    const run = await client.rest.actions.getWorkflowRun({ ...REPO, run_id })
    expect(run.data).toMatchObject({
      status: 'queued',
      conclusion: null,
      event: 'workflow_dispatch',
      head_branch: 'main',
      display_title: 'Evolve',
      run_number: 2,
      run_attempt: 1,
      actor: { login: 'tester[bot]' },
      url: named.data.run_url,
      html_url: named.data.html_url,
    })
    await box.settled()
    const told = receiver.received.filter((one) => one.event.startsWith('workflow_'))
    expect(told.map((one) => [one.event, one.payload.action])).toEqual([
      ['workflow_dispatch', undefined],
      ['workflow_run', 'requested'],
      ['workflow_dispatch', undefined],
      ['workflow_run', 'requested'],
    ])
    expect(told[0]?.payload).toMatchObject({
      ref: 'refs/heads/main',
      workflow: '.github/workflows/evolve.yml',
      inputs: { spec: 'x', level: 'low', dry: 'true', count: '7' },
    })
  })

  it('a dispatch checks its inputs against the workflow file', async () => {
    const box = await startTestBox({ files: FILES })
    const { actions } = box.as('wendy').rest
    const refused = (inputs: Record<string, unknown>) =>
      failure(actions.createWorkflowDispatch({ ...EVOLVE_FILE, ref: 'main', inputs }))
    const cases: [Record<string, unknown>, string][] = [
      [{}, "Required input 'spec' not provided"],
      [{ spec: 's', more: 1, other: 2 }, 'Unexpected inputs provided: ["more","other"]'],
      [
        { spec: 's', level: 'mid' },
        "Provided value 'mid' for input 'level' not in the list of allowed values",
      ],
      [{ spec: 's', dry: 'maybe' }, "Provided value 'maybe' for input 'dry' is not a boolean"],
      [{ spec: 's', count: 'many' }, "Provided value 'many' for input 'count' is not a number"],
      [{ spec: 'x'.repeat(65_536) }, 'inputs are too large: at most 65535 characters are allowed'],
    ]
    for (const [inputs, message] of cases) expect(await refused(inputs)).toEqual({ status: 422, message })
    const many = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`i${index}`, '']))
    expect((await refused(many)).status).toBe(422)
    expect((await actions.listWorkflowRunsForRepo(REPO)).data.total_count).toBe(0)
  })

  it('a dispatch needs a branch or tag whose file has the trigger', async () => {
    const box = await startTestBox({ files: FILES })
    const client = box.as('wendy')
    const { data: main } = await client.rest.git.getRef({ ...REPO, ref: 'heads/main' })
    for (const ref of ['refs/heads/side', 'refs/tags/v1', 'refs/loreley/x']) {
      await client.rest.git.createRef({ ...REPO, ref, sha: main.object.sha })
    }
    await changeFile(client, '.github/workflows/evolve.yml', undefined, 'side')
    const dispatch = (ref: string, workflow_id = 'evolve.yml') =>
      client.rest.actions.createWorkflowDispatch({ ...REPO, workflow_id, ref, inputs: { spec: 's' } })
    expect((await dispatch('v1')).status).toBe(204)
    expect((await dispatch('refs/tags/v1')).status).toBe(204)
    const noTrigger = { status: 422, message: "Workflow does not have 'workflow_dispatch' trigger" }
    expect(await failure(dispatch('side'))).toEqual(noTrigger)
    expect(await failure(dispatch('main', 'ci.yaml'))).toEqual(noTrigger)
    for (const ref of ['nowhere', 'refs/loreley/x', main.object.sha]) {
      expect(await failure(dispatch(ref))).toEqual({ status: 422, message: `No ref found for: ${ref}` })
    }
    expect((await failure(dispatch('main', 'none.yml'))).status).toBe(404)
  })

  it('a dispatch is refused to readers and while Actions is disabled', async () => {
    const box = await startTestBox({ files: FILES })
    const draft = { ...EVOLVE_FILE, ref: 'main', inputs: { spec: 's' } }
    const dispatch = (client: Octokit) => client.rest.actions.createWorkflowDispatch(draft)
    expect((await failure(dispatch(await box.installation({ actions: 'read' })))).status).toBe(403)
    expect((await failure(dispatch(box.as('tariq')))).status).toBe(403)
    expect((await failure(dispatch(box.client()))).status).toBe(401)
    const admin = box.as('olivia').rest.actions
    await admin.setGithubActionsPermissionsRepository({ ...REPO, enabled: false })
    expect((await admin.getGithubActionsPermissionsRepository(REPO)).data.enabled).toBe(false)
    expect((await failure(dispatch(box.as('wendy')))).status).toBe(422)
    const permissions = await admin.getGithubActionsDefaultWorkflowPermissionsRepository(REPO)
    expect(permissions.data.default_workflow_permissions).toBe('read')
    await admin.setGithubActionsDefaultWorkflowPermissionsRepository({
      ...REPO,
      default_workflow_permissions: 'write',
    })
    const changed = await admin.getGithubActionsDefaultWorkflowPermissionsRepository(REPO)
    expect(changed.data.default_workflow_permissions).toBe('write')
  })
})
