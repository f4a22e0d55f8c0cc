import type { Seed } from './seed.ts'

const README = `# demo

A small repository to try things on. Nothing here leaves this machine.

![a curve](docs/curve.svg)

- [ ] read [the code](src/sum.js)
- [x] start the sandbox

| role | user |
|---|---|
| admin | olivia |
| write | wendy |
| triage | tariq |
| read | rita |
| none | sam |
`

const CURVE = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120" viewBox="0 0 320 120">
  <path d="M10 110 C 80 110 90 20 160 60 S 260 10 310 10" fill="none" stroke="#0969da" stroke-width="3"/>
</svg>
`

const WORKFLOW = `name: test
run-name: test \${{ inputs.word }}
on:
  push:
    branches: [main]
  workflow_dispatch:
    inputs:
      word:
        description: something to print
        default: hello
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: echo "\${{ inputs.word }}" && node src/sum.js
`

/** What `loreley sandbox` starts with: one repository, one App with every permission, a user for each role. */
export const DEMO_SEED: Seed = {
  owner: 'acme',
  repositories: [
    {
      name: 'demo',
      files: {
        'README.md': README,
        'docs/curve.svg': CURVE,
        'src/sum.js':
          'export function sum(numbers) {\n  let total = 0\n  for (const number of numbers) total += number\n  return total\n}\n',
        '.github/workflows/test.yml': WORKFLOW,
      },
    },
  ],
  apps: [
    {
      slug: 'demo-app',
      permissions: {
        actions: 'write',
        administration: 'write',
        checks: 'write',
        contents: 'write',
        environments: 'write',
        issues: 'write',
        metadata: 'read',
        pull_requests: 'write',
        statuses: 'write',
        workflows: 'write',
      },
      events: ['check_run', 'check_suite', 'issue_comment', 'issues', 'pull_request', 'push', 'workflow_run'],
      webhookSecret: 'demo-secret',
    },
  ],
}
