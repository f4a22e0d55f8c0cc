import type { AgentLimits, ModelConfig, OpenAiConfig } from '../../config/campaign-config.ts'
import { pickWeighted, rngFor } from '../../core/rng.ts'
import { LoreleyError } from '../../errors.ts'
import type { Agent, AgentTask, CodeOutcome, Health, Plan } from '../agent.ts'
import { loadPatches, renderBrief } from '../brief/render.ts'
import { renderWork } from '../brief/work.ts'
import { Meter } from '../meter.ts'
import { renderRepoMap } from '../repo-map/render.ts'
import { codingTools, planningTools } from '../tools/catalogue.ts'
import type { ToolContext } from '../tools/tool.ts'
import { Chat } from './chat.ts'
import { codingMessages, planningMessages } from './prompts.ts'
import { runToolLoop } from './tool-loop.ts'

export interface OpenAiOptions {
  readonly config: OpenAiConfig
  readonly limits: AgentLimits
  readonly key: string
  readonly chooseModel?: ModelChooser | undefined
  readonly firstWaitMs?: number | undefined
}

const MAP_BYTES = 8000
// A planner only reads; the coder does the work.
const PLANNING_SHARE = 0.25

/** An agent on any endpoint that speaks the OpenAI chat API. */
export function createOpenAiAgent(options: OpenAiOptions): Agent {
  const endpoint = { ...options, chat: new Chat(options) }
  return {
    name: 'openai',
    secrets: [options.key],
    canRework: true,
    plan: (task) => plan(endpoint, task),
    code: (task, made) => code(endpoint, task, made),
    checkHealth: (signal) =>
      Promise.all(options.config.models.map((model) => checkModel(endpoint.chat, model, signal))),
  }
}

interface Endpoint extends OpenAiOptions {
  readonly chat: Chat
}

async function plan({ chat, limits, ...options }: Endpoint, task: AgentTask): Promise<Plan> {
  const model = chooseFor('plan', options, task)
  const { workspace, brief, signal, transcript } = task
  const text = renderBrief(brief, await loadPatches(brief, workspace))
  const context = createToolContext(task, limits)
  const repoMap = await renderRepoMap(workspace, { focus: context.focus, maxBytes: MAP_BYTES, signal })
  const messages = planningMessages(text, repoMap)
  transcript.add(`brief for the planner ${model.name}`, text)
  const turns = Math.max(2, Math.round(limits.turns * PLANNING_SHARE))
  const end = await runToolLoop({
    ...{ chat, model, context, task, messages, tools: planningTools(), limits: { ...limits, turns } },
    isDone: () => true,
    nudge: 'Answer with the plan.',
  })
  if (end.status === 'failed') throw unavailable(end.reason)
  // A planner that failed leaves the coder without a plan. That is no reason to give up.
  return { text: end.status === 'finished' ? end.text : '', model: model.name }
}

async function code(
  { chat, limits, ...options }: Endpoint,
  task: AgentTask,
  plan: Plan,
): Promise<CodeOutcome> {
  const model = chooseFor('code', options, task)
  const { workspace, transcript, rework } = task
  const work = await renderWork(task, plan)
  const context = createToolContext(task, limits)
  transcript.add(`brief for the coder ${model.name}`, work)
  const end = await runToolLoop({
    ...{ chat, model, context, task, limits, messages: codingMessages(work), tools: codingTools(workspace) },
    isDone: () => context.hasChanged(),
    nudge:
      'You have changed nothing yet. Use the tools to carry out the plan, then say in one line what you did. If nothing should be changed, say why.',
  })
  if (end.status === 'failed') throw unavailable(end.reason)
  const said = end.status === 'finished' ? end.text : `stopped early: ${end.reason}`
  return context.hasChanged() || (rework !== undefined && end.status === 'finished')
    ? { status: 'changed', summary: firstLine(said), model: model.name }
    : { status: 'unchanged', reason: end.status === 'finished' ? end.text : end.reason }
}

function chooseFor(
  use: 'plan' | 'code',
  { config, chooseModel = chooseByWeight }: Pick<OpenAiOptions, 'config' | 'chooseModel'>,
  task: AgentTask,
): ModelConfig {
  const model = chooseModel(modelsFor(config.models, use), task)
  if (model !== undefined) return model
  throw new LoreleyError(
    'agent-unavailable',
    `agent.openai.models has no model to ${use} with.`,
    `Set \`for: both\` or \`for: ${use}\` on one of them.`,
  )
}

/** One short question checks the key, the address and the model's name. */
async function checkModel(chat: Chat, model: ModelConfig, signal: AbortSignal): Promise<Health> {
  const outcome = await chat.ask({
    model: { ...model, maxOutputTokens: Math.min(64, model.maxOutputTokens) },
    messages: [{ role: 'user', content: 'Answer with the word yes.' }],
    tools: [],
    meter: new Meter(),
    rng: rngFor(0, 0, 'health'),
    signal,
  })
  const what = `model ${model.name}`
  if (outcome.status !== 'replied') return { what, ok: false, detail: outcome.reason }
  const price = model.price === undefined ? 'no price given, so its tokens stay unpriced' : 'priced'
  return { what, ok: true, detail: `answers; ${price}` }
}

interface CodingContext extends ToolContext {
  hasChanged(): boolean
}

function createToolContext({ workspace, signal, brief }: AgentTask, limits: AgentLimits): CodingContext {
  let left = limits.bytes
  return {
    workspace,
    signal,
    focus: `${brief.goal} ${brief.notes} ${brief.lens?.ask ?? ''}`,
    hasChanged: () => left < limits.bytes,
    spendBytes: (bytes) => {
      if (bytes > left) return false
      // An empty file is a change too.
      left -= Math.max(1, bytes)
      return true
    },
  }
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}

function unavailable(reason: string): LoreleyError {
  return new LoreleyError(
    'agent-unavailable',
    `The model cannot be used: ${reason}.`,
    'Run `loreley doctor`, and check agent.openai and the key.',
  )
}

/** Chooses among the models for a task. A bandit could replace the weights. */
export type ModelChooser = (models: readonly ModelConfig[], task: AgentTask) => ModelConfig | undefined

/** By the config's weights, with the candidate's random numbers. */
const chooseByWeight: ModelChooser = (models, { rng }) =>
  models[
    pickWeighted(
      models.map(({ weight }) => weight),
      rng,
    )
  ]

/** The models that may plan, or code. */
function modelsFor(models: readonly ModelConfig[], use: 'plan' | 'code'): readonly ModelConfig[] {
  return models.filter((model) => model.for === 'both' || model.for === use)
}
