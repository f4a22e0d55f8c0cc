import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'
import { type Token, TokenType } from '@actions/expressions/lexer'
import { LoreleyError } from '../../../errors.ts'
import { hashFiles } from './hash-files.ts'
import { Expression, isList, type Template, TemplateMap } from './template.ts'

/** The values of `success()`, `failure()` and `cancelled()`. */
export interface StatusChecks {
  readonly success: boolean
  readonly failure: boolean
  readonly cancelled: boolean
}

/** What an expression can see. */
export interface Scope {
  /** By name, such as `github`. Missing contexts are null. */
  readonly contexts: Readonly<Record<string, unknown>>
  readonly status?: StatusChecks
  /** The folder that `hashFiles` searches. */
  readonly workspace?: string
}

const CONTEXTS = [
  ...['github', 'env', 'vars', 'job', 'jobs', 'steps', 'runner', 'secrets', 'strategy', 'matrix', 'needs'],
  'inputs',
]
const ALL_IS_WELL: StatusChecks = { success: true, failure: false, cancelled: false }

/** Evaluates a template to plain JSON. */
export function evaluate(template: Template, scope: Scope): unknown {
  if (template instanceof Expression) return toJson(evaluateData(template.text, scope))
  if (template instanceof TemplateMap) return evaluateMap(template, scope)
  if (isList(template)) return template.map((item) => evaluate(item, scope))
  return template
}

/** Evaluates a template to text by GitHub's rules: null becomes empty, and numbers have no trailing zeros. */
export function evaluateText(template: Template | undefined, scope: Scope): string {
  if (template === undefined || template === null) return ''
  if (template instanceof Expression) return evaluateData(template.text, scope).coerceString()
  return toData(evaluate(template, scope)).coerceString()
}

/** Evaluates a mapping with text values, such as `env` and `with`. */
export function evaluateTexts(map: TemplateMap | undefined, scope: Scope): Record<string, string> {
  const pairs = (map?.entries ?? []).map(
    ([key, value]) => [evaluateText(key, scope), evaluateText(value, scope)] as const,
  )
  return Object.fromEntries(pairs)
}

/** True when a condition holds. Without a status function it also requires success. */
export function evaluateCondition(condition: Template | undefined, scope: Scope): boolean {
  return isTruthy(evaluateData(conditionText(condition), scope))
}

function conditionText(condition: Template | undefined): string {
  if (condition === undefined || condition === null || condition === '') return 'success()'
  const text = condition instanceof Expression ? condition.text : String(condition)
  const code = text.replaceAll(/'(?:[^']|'')*'/g, "''")
  return /\b(success|failure|cancelled|always)\s*\(/i.test(code) ? text : `success() && (${text})`
}

function isTruthy(value: data.ExpressionData): boolean {
  if (value instanceof data.Null) return false
  if (value instanceof data.BooleanData) return value.value
  if (value instanceof data.NumberData) return value.value !== 0 && !Number.isNaN(value.value)
  return !(value instanceof data.StringData) || value.value !== ''
}

function evaluateMap(map: TemplateMap, scope: Scope): Record<string, unknown> {
  const pairs = map.entries.map(([key, value]) => [evaluateText(key, scope), evaluate(value, scope)] as const)
  return Object.fromEntries(pairs)
}

function evaluateData(text: string, scope: Scope): data.ExpressionData {
  const functions = listFunctions(scope)
  try {
    const tree = new Parser(lex(text), CONTEXTS, functions).parse()
    const named = CONTEXTS.map((key) => ({ key, value: toData(scope.contexts[key] ?? null) }))
    const byName = new Map(functions.map((one) => [one.name.toLowerCase(), one]))
    return new Evaluator(tree, new data.Dictionary(...named), byName).evaluate()
  } catch (error) {
    if (error instanceof LoreleyError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const hint = 'Fix the expression in the workflow file.'
    throw new LoreleyError(
      'workflow-invalid',
      `Cannot evaluate the expression ${text}: ${reason}`,
      hint,
      error,
    )
  }
}

// The library unescapes only the first quote of a string such as 'it''s ''so'''.
function lex(text: string): Token[] {
  return new Lexer(text).lex().tokens.map((token) => {
    if (token.type !== TokenType.STRING || typeof token.value !== 'string') return token
    return { ...token, value: token.value.replaceAll("''", "'") }
  })
}

function listFunctions({ status = ALL_IS_WELL, workspace }: Scope): FunctionDefinition[] {
  const flag = (name: string, value: boolean): FunctionDefinition => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  })
  return [
    flag('success', status.success),
    flag('failure', status.failure),
    flag('cancelled', status.cancelled),
    flag('always', true),
    {
      name: 'hashFiles',
      minArgs: 1,
      maxArgs: 255,
      call: (...patterns) =>
        new data.StringData(
          hashFiles(
            workspace,
            patterns.map((pattern) => pattern.coerceString()),
          ),
        ),
    },
  ]
}

function toData(value: unknown): data.ExpressionData {
  if (typeof value === 'string') return new data.StringData(value)
  if (typeof value === 'number') return new data.NumberData(value)
  if (typeof value === 'boolean') return new data.BooleanData(value)
  if (Array.isArray(value)) return new data.Array(...value.map(toData))
  if (typeof value !== 'object' || value === null) return new data.Null()
  const pairs = Object.entries(value).map(([key, inner]) => ({ key, value: toData(inner) }))
  return new data.Dictionary(...pairs)
}

function toJson(value: data.ExpressionData): unknown {
  if (value instanceof data.Array) return value.values().map(toJson)
  if (value instanceof data.Dictionary) {
    return Object.fromEntries(value.pairs().map((pair) => [pair.key, toJson(pair.value)]))
  }
  if (value instanceof data.Null) return null
  return value.value
}
