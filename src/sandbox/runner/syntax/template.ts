import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token'
import {
  isBasicExpression,
  isBoolean,
  isMapping,
  isNumber,
  isSequence,
  isString,
} from '@actions/workflow-parser/templates/tokens/type-guards'

/** Part of a workflow or action file: values, with expressions that are not evaluated yet. */
export type Template = string | number | boolean | null | Expression | readonly Template[] | TemplateMap

/** The content of one `${{ … }}`. GitHub's reader has turned text around it into a call of `format`. */
export class Expression {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A mapping. Keys may be expressions too. */
export class TemplateMap {
  readonly entries: readonly (readonly [Template, Template])[]

  constructor(entries: readonly (readonly [Template, Template])[]) {
    this.entries = entries
  }

  find(name: string): Template | undefined {
    return this.entries.find(([key]) => key === name)?.[1]
  }

  findText(name: string): string | undefined {
    const value = this.find(name)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }

  findMap(name: string): TemplateMap | undefined {
    const value = this.find(name)
    return value instanceof TemplateMap ? value : undefined
  }

  /** The elements of a list. A single value counts as a list of one. */
  list(name: string): readonly Template[] {
    const value = this.find(name)
    if (value === undefined || value === null) return []
    return isList(value) ? value : [value]
  }
}

export const EMPTY_MAP = new TemplateMap([])

export function isList(value: Template): value is readonly Template[] {
  return Array.isArray(value)
}

/** Converts a token of GitHub's reader. */
export function createTemplate(token: TemplateToken): Template {
  if (isMapping(token)) {
    const entries = [...token].map(({ key, value }) => [createTemplate(key), createTemplate(value)] as const)
    return new TemplateMap(entries)
  }
  if (isSequence(token)) return [...token].map(createTemplate)
  if (isBasicExpression(token)) return new Expression(token.expression)
  if (isString(token) || isNumber(token) || isBoolean(token)) return token.value
  return null
}
