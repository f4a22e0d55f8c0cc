import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AgentTask, CodeOutcome, Plan, Workspace } from '../../../src/agents/agent.ts'
import { createOpenAiAgent, type OpenAiOptions } from '../../../src/agents/openai/agent.ts'
import type { AgentLimits, OpenAiConfig } from '../../../src/config/campaign-config.ts'
import { anAgentConfig } from '../../support/agents/agent-config.ts'
import { type Asked, startOpenAiServer, type Turn } from '../../support/agents/openai-server.ts'
import { aTask, withWorkspace } from '../offline/workspace.ts'

export const KEY = 'test-key-1234567890'
export const FILES = { 'src/a.js': 'export const a = 1\n', 'src/b.js': 'export const b = 2\n' }

export interface Played {
  readonly outcome: CodeOutcome
  readonly files: Readonly<Record<string, string>>
  readonly asked: readonly Asked[]
  readonly task: AgentTask
}

interface PlayOptions {
  readonly config?: Partial<OpenAiConfig>
  readonly limits?: Partial<AgentLimits>
  readonly files?: Readonly<Record<string, string>>
  readonly task?: Partial<AgentTask>
  readonly options?: Partial<OpenAiOptions>
  readonly plan?: Plan
  readonly seed?: number
  readonly check?: Workspace['check']
  /** Done to the folder before the agent begins. */
  readonly prepare?: (folder: string) => Promise<unknown>
}

/** Lets the agent code against a server that follows the script. */
export async function play(
  script: Parameters<typeof startOpenAiServer>[0],
  { config, limits, files = FILES, plan = { text: '' }, ...given }: PlayOptions = {},
): Promise<Played> {
  const server = await startOpenAiServer(script)
  onTestFinished(() => server.close())
  const base = anAgentConfig({ base_url: server.url, request_timeout_seconds: 1 })
  if (base.openai === undefined) throw new Error('the config has no openai')
  const agent = createOpenAiAgent({
    config: { ...base.openai, ...config },
    limits: { ...base.limits, ...limits },
    key: KEY,
    firstWaitMs: 1,
    ...given.options,
  })
  return await withWorkspace(files, {}, async (workspace) => {
    await given.prepare?.(workspace.folder)
    const place = {
      ...workspace,
      canEdit: (path: string) => path.startsWith('src/'),
      check: given.check,
    }
    const task = { ...aTask(place, given.seed ?? 1), ...given.task }
    const outcome = await agent.code(task, plan)
    return { outcome, files: await readAll(workspace.folder), asked: server.asked, task }
  })
}

/** A turn that calls one tool. */
export function call(name: string, args: unknown): Turn {
  return { calls: [{ name, arguments: args }] }
}

export const EDIT = call('edit_file', { path: 'src/a.js', old: 'a = 1', new: 'a = 3' })
export const DONE: Turn = { text: 'make a larger' }

/** The results that the model was shown by the last request. */
export function lastResults(asked: readonly Asked[]): string[] {
  const messages = asked.at(-1)?.body.messages ?? []
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}

async function readAll(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = files
    .sort()
    .map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
