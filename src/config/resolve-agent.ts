import type { AgentConfig, CommandConfig, ModelConfig, OpenAiConfig } from './campaign-config.ts'
import type { CampaignInput } from './schema/campaign.ts'

type AgentInput = CampaignInput['agent']
type OpenAiInput = NonNullable<AgentInput['openai']>

/** The section `agent`, from the file's keys to the words of the code. */
export function resolveAgent(agent: AgentInput): AgentConfig {
  return {
    use: agent.use,
    planner: agent.planner ?? agent.use,
    timeoutSeconds: agent.timeout_seconds,
    rework: agent.rework,
    check: agent.check,
    checkTimeoutSeconds: agent.check_timeout_seconds,
    limits: agent.limits,
    openai: agent.openai && resolveOpenAi(agent.openai),
    command: agent.command,
  }
}

function resolveOpenAi(openai: OpenAiInput): OpenAiConfig {
  return {
    baseUrl: openai.base_url,
    keyVariable: openai.key_variable,
    organization: openai.organization,
    project: openai.project,
    headers: openai.headers,
    query: openai.query,
    requestTimeoutSeconds: openai.request_timeout_seconds,
    tries: openai.tries,
    models: openai.models.map(resolveModel),
  }
}

function resolveModel(model: OpenAiInput['models'][number]): ModelConfig {
  const { price } = model
  return {
    name: model.name,
    for: model.for,
    weight: model.weight,
    contextTokens: model.context_tokens,
    maxOutputTokens: model.max_output_tokens,
    price: price && {
      input: price.input,
      output: price.output,
      cachedInput: price.cached_input ?? price.input,
    },
    parameters: model.parameters,
  }
}

/** Back to the file's keys. */
export function unresolveAgent(agent: AgentConfig): AgentInput {
  return {
    use: agent.use,
    planner: agent.planner,
    timeout_seconds: agent.timeoutSeconds,
    rework: agent.rework,
    check: agent.check,
    check_timeout_seconds: agent.checkTimeoutSeconds,
    limits: agent.limits,
    openai: agent.openai && unresolveOpenAi(agent.openai),
    command: agent.command && unresolveCommand(agent.command),
  }
}

function unresolveCommand(command: CommandConfig): NonNullable<AgentInput['command']> {
  return { ...command, environment: [...command.environment] }
}

function unresolveOpenAi(openai: OpenAiConfig): OpenAiInput {
  return {
    base_url: openai.baseUrl,
    key_variable: openai.keyVariable,
    organization: openai.organization,
    project: openai.project,
    headers: openai.headers,
    query: openai.query,
    request_timeout_seconds: openai.requestTimeoutSeconds,
    tries: openai.tries,
    models: openai.models.map(unresolveModel),
  }
}

function unresolveModel({ price, ...model }: ModelConfig): OpenAiInput['models'][number] {
  return {
    name: model.name,
    for: model.for,
    weight: model.weight,
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    price: price && { input: price.input, output: price.output, cached_input: price.cachedInput },
    parameters: model.parameters,
  }
}
