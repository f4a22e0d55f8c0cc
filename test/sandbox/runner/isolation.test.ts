import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { putValue } from '../../../src/sandbox/actions/secrets/secrets-and-variables.ts'
import { repositories, tokens } from '../../../src/sandbox/state/documents.ts'
import type { TestBox } from '../support.ts'
import { play, startRunnerBox } from './runner-support.ts'

const SECRET = 'only-for-those-who-name-it'

function addSecret(box: TestBox): void {
  const [repo] = repositories(box.box.store).all()
  if (repo === undefined) throw new Error('the sandbox has no repository')
  putValue(box.box, 'secret', { repo, environmentId: null }, { name: 'KEY', value: SECRET })
}

describe('a job', () => {
  it('a job cannot read a secret it does not name, from its environment, files or parent processes', async () => {
    const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  names-it:
    runs-on: ubuntu-latest
    env: { KEY: '\${{ secrets.KEY }}' }
    steps:
      - run: test "$KEY" = only-for-those-who'-name-it' && echo "has it" && sleep 1
  does-not:
    runs-on: ubuntu-latest
    steps:
      - run: |
          needle=only-for-those-who'-name-it'
          pid=$$
          while [ "$pid" -gt 1 ]; do
            if tr '\\0' '\\n' < "/proc/$pid/environ" 2>/dev/null | grep -q "$needle"; then echo "found in $pid"; fi
            pid=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
          done
          grep -rl "$needle" "$HOME" "$RUNNER_TEMP" "$GITHUB_WORKSPACE" "$(dirname "$HOME")" 2>/dev/null |
            grep -v "$0" && echo "found in a file" || echo "found nothing"
`)
    addSecret(box)
    const run = await play(box)
    expect(run.conclusion).toBe('success')
    expect(run.log('names-it')).toContain('has it\n')
    expect(run.log('names-it')).not.toContain(SECRET)
    expect(run.log('does-not')).toContain('found nothing\n')
    expect(run.log('does-not')).not.toMatch(/^found in/m)
  })

  it('a job without `contents: write` cannot push or write by the API, and its token ends with it', async () => {
    const box = await startRunnerBox(`on: workflow_dispatch
permissions: { contents: read }
jobs:
  a:
    runs-on: ubuntu-latest
    env: { TOKEN: '\${{ github.token }}' }
    steps:
      - run: |
          echo "token: \${#TOKEN} characters"
          git clone -q "http://x:$TOKEN@\${GITHUB_SERVER_URL#http://}/$GITHUB_REPOSITORY.git" clone
          cd clone
          git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine
          git push -q origin HEAD:refs/heads/mine && echo "pushed" || echo "push refused"
          curl -sS -o /dev/null -w 'API says %{http_code}\\n' -X POST -H "Authorization: Bearer $TOKEN" \\
            "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/git/refs" -d "{\\"ref\\": \\"refs/heads/mine\\", \\"sha\\": \\"$GITHUB_SHA\\"}"
`)
    const run = await play(box)
    expect(run.log('a')).toContain('push refused\n')
    expect(run.log('a')).toContain('API says 403\n')
    expect(
      tokens(box.box.store)
        .all()
        .filter((token) => token.kind === 'installation' && token.runId === run.id),
    ).toEqual([])
  })

  it('a job leaves no process or folder behind, not even a process that left its group', async () => {
    const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          setsid sleep 987654 > /dev/null 2>&1 &
          echo "$GITHUB_WORKSPACE"
      - run: pgrep -f 'sleep 98765[4]' > /dev/null && echo "it goes on between steps"
`)
    const run = await play(box)
    expect(run.log('a')).toContain('it goes on between steps\n')
    const left = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandOf(pid).includes('sleep\u0000987654'),
    )
    expect(left).toEqual([])
  })

  it('a job that asks for containers is refused with a clear message', async () => {
    const box = await startRunnerBox(`on: workflow_dispatch
jobs:
  a:
    runs-on: ubuntu-latest
    services: { db: { image: postgres } }
    steps: [{ run: 'true' }]
`)
    const run = await play(box)
    expect(run.conclusion).toBe('failure')
    expect(run.log('a')).toContain('service containers (`services`)')
  })
})

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
