import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { runs } from '../../../src/sandbox/actions/documents.ts'
import { REPO, startTestBox, type TestBox, type TestBoxOptions } from '../support.ts'

export const FILES = { '.github/workflows/go.yml': 'name: Go\non: workflow_dispatch\njobs: {}\n' }

/** A sandbox with one queued run of the workflow `Go`. */
export async function dispatched(options: TestBoxOptions = {}) {
  const box = await startTestBox({ files: FILES, ...options })
  return { box, run: await dispatch(box) }
}

/** Queues another run, on this branch. */
export async function dispatch(box: TestBox, login = 'wendy', ref = 'main') {
  const made = await box
    .as(login)
    .request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...REPO,
      workflow_id: 'go.yml',
      ref,
      return_run_details: true,
    })
  const run = runs(box.box.store).find(Number(made.data.workflow_run_id))
  if (run === undefined) throw new Error('the run was not recorded')
  return run
}

export const JOB = { name: 'build / fast', labels: ['ubuntu-latest'] }

/** The files of a zip by name. Read by Python, as an independent check of our writer. */
export async function readZip(bytes: unknown): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'loreley-zip-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'a.zip')
  await writeFile(file, parseBytes(bytes))
  const script =
    'import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps({n:z.read(n).decode() for n in z.namelist()}))'
  const { stdout } = await promisify(execFile)('python3', ['-c', script, file])
  return JSON.parse(stdout)
}

function parseBytes(bytes: unknown): Buffer {
  if (!(bytes instanceof ArrayBuffer)) throw new Error('not bytes')
  return Buffer.from(bytes)
}
