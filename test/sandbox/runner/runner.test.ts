import { describe, expect, it } from 'vitest'
import { play, startRunnerBox } from './runner-support.ts'

describe('the runner', () => {
  it('the runner runs jobs in the order of their needs and passes outputs on', async () => {
    const box = await startRunnerBox(`name: W
run-name: for \${{ inputs.who }}
on:
  workflow_dispatch:
    inputs:
      who: { default: you }
jobs:
  a:
    runs-on: ubuntu-latest
    outputs:
      word: \${{ steps.say.outputs.word }}
    steps:
      - id: say
        run: echo "word=hello \${{ inputs.who }}" >> "$GITHUB_OUTPUT"
  b:
    needs: a
    name: b \${{ needs.a.outputs.word }}
    runs-on: ubuntu-latest
    strategy:
      matrix:
        n: [1, 2]
    steps:
      - name: Show it
        run: echo "got \${{ needs.a.outputs.word }} \${{ matrix.n }}"
`)
    const run = await play(box, { who: 'me' })
    expect(run).toMatchObject({ title: 'for me', conclusion: 'success' })
    expect(run.jobs.map(({ name, conclusion }) => `${name}: ${conclusion}`)).toEqual([
      'a: success',
      'b hello me (1): success',
      'b hello me (2): success',
    ])
    expect(run.log('b hello me (2)')).toContain('got hello me 2\n')
    expect(run.jobs[1]?.steps).toEqual({
      'Set up job': 'success',
      'Show it': 'success',
      'Complete job': 'success',
    })
  })

  it('the runner supports JavaScript actions with state and post, and composite actions with outputs', async () => {
    const box = await startRunnerBox(
      `on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: acme/demo/js@main
        id: js
        with: { Word: hi there }
      - uses: acme/demo/both@main
        id: both
        with: { name: moon }
      - run: echo "js \${{ steps.js.outputs.loud }}, both \${{ steps.both.outputs.sentence }}"
`,
      {
        files: {
          'js/action.yml':
            'name: js\ndescription: d\ninputs:\n  word:\n    description: w\n    default: none\nruns:\n  using: node20\n  pre: pre.cjs\n  main: main.cjs\n  post: post.cjs\n',
          'js/pre.cjs': 'console.log("before " + process.env.INPUT_WORD)\n',
          'js/main.cjs':
            'const { appendFileSync } = require("node:fs")\nappendFileSync(process.env.GITHUB_OUTPUT, "loud=" + process.env.INPUT_WORD.toUpperCase() + "\\n")\nappendFileSync(process.env.GITHUB_STATE, "kept=yes\\n")\n',
          'js/post.cjs': 'console.log("after " + process.env.STATE_kept)\n',
          'both/action.yml': `name: both
description: d
inputs:
  name:
    description: n
outputs:
  sentence:
    description: s
    value: \${{ steps.make.outputs.it }}
runs:
  using: composite
  steps:
    - id: make
      shell: bash
      run: echo "it=hello \${{ inputs.name }} from $(basename "$GITHUB_ACTION_PATH")" >> "$GITHUB_OUTPUT"
`,
        },
      },
    )
    const run = await play(box)
    expect(run.log('a')).toContain('js HI THERE, both hello moon from both\n')
    expect(run.log('a')).toContain('before hi there\n')
    expect(run.log('a')).toContain('after yes\n')
    expect(Object.keys(run.jobs[0]?.steps ?? {})).toEqual([
      'Set up job',
      'Pre Run acme/demo/js@main',
      'Run acme/demo/js@main',
      'Run acme/demo/both@main',
      'Run echo "js HI THERE, both hello moon from both"',
      'Post Run acme/demo/js@main',
      'Complete job',
    ])
  })
})
