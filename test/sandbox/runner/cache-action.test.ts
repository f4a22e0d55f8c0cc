import { describe, expect, it } from 'vitest'
import { branchFromMain } from '../pulls/a-pull.ts'
import { REPO, type TestBox } from '../support.ts'
import { dispatchWorkflow, type PlayedRun, readRun, startRunnerBox } from './runner-support.ts'

const WORKFLOW = `on:
  workflow_dispatch:
    inputs: { key: { default: deps-1 }, must: { default: 'false' } }
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "a shell has \${ACTIONS_RUNTIME_TOKEN:-no token} and \${ACTIONS_CACHE_SERVICE_V2:-no service}"
      - id: deps
        uses: actions/cache@v4
        with:
          path: |
            deps/*
            !deps/scratch
          key: \${{ inputs.key }}
          restore-keys: deps-
          fail-on-cache-miss: \${{ inputs.must }}
      - run: |
          echo "hit=\${{ steps.deps.outputs.cache-hit }} files=$(ls -x deps 2>/dev/null)"
          mkdir -p deps && touch "deps/of-\${{ inputs.key }}" deps/scratch
`

async function playOn(box: TestBox, ref: string, inputs: Readonly<Record<string, string>> = {}) {
  const id = await dispatchWorkflow(box, inputs, 'w.yml', ref)
  await box.runner?.settled()
  return await readRun(box, id)
}

const found = (run: PlayedRun) => /^hit=.*$/m.exec(run.log('a'))?.[0]

describe('the stand-in for actions/cache', () => {
  it('the cache action keeps files for later runs of the branch, and a shell step has no token for it', async () => {
    const box = await startRunnerBox(WORKFLOW)
    await branchFromMain(box.as('wendy'), 'topic')
    const first = await playOn(box, 'topic')
    expect(first.conclusion).toBe('success')
    expect(first.log('a')).toContain('a shell has no token and no service\n')
    expect(found(first)).toBe('hit= files=')
    expect(found(await playOn(box, 'topic'))).toBe('hit=true files=of-deps-1')
    expect(found(await playOn(box, 'topic', { key: 'deps-2' }))).toBe('hit=false files=of-deps-1')
    expect(found(await playOn(box, 'main'))).toBe('hit= files=')
    const { data } = await box.as('rita').rest.actions.getActionsCacheList({ ...REPO, sort: 'created_at' })
    expect(data.actions_caches.map(({ key, ref }) => [key, ref])).toEqual([
      ['deps-1', 'refs/heads/main'],
      ['deps-2', 'refs/heads/topic'],
      ['deps-1', 'refs/heads/topic'],
    ])
  })

  it('the cache action fails on a required miss and keeps nothing of a failed job', async () => {
    const box = await startRunnerBox(WORKFLOW)
    const run = await playOn(box, 'main', { must: 'true' })
    expect(run.conclusion).toBe('failure')
    expect(run.log('a')).toContain('Cache not found for input keys: deps-1, deps-')
    expect((await box.as('rita').rest.actions.getActionsCacheList(REPO)).data.total_count).toBe(0)
  })
})
