import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { convertOn } from '@actions/workflow-parser/model/converter/events'
import { convertJobs } from '@actions/workflow-parser/model/converter/jobs'
import { JSONObjectReader } from '@actions/workflow-parser/templates/json-object-reader'
import { TemplateSchema } from '@actions/workflow-parser/templates/schema/index'
import {
  TemplateContext,
  TemplateValidationErrors,
} from '@actions/workflow-parser/templates/template-context'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import type { LiteralToken } from '@actions/workflow-parser/templates/tokens/literal-token'
import { StringToken } from '@actions/workflow-parser/templates/tokens/string-token'
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/template-token'
import { isMapping, isString } from '@actions/workflow-parser/templates/tokens/type-guards'
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer'
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader'
import { LoreleyError } from '../../../errors.ts'
import { createTemplate, TemplateMap } from './template.ts'

type Kind = 'workflow' | 'action'

export type TemplateReading =
  | { readonly status: 'valid'; readonly template: TemplateMap; readonly events: Events }
  | { readonly status: 'invalid'; readonly problems: readonly string[] }

/** The triggers of a workflow, as GitHub's library returns them: filters by event. */
export type Events = Readonly<Record<string, unknown>>

const ROOTS: Readonly<Record<Kind, string>> = {
  workflow: 'workflow-root-strict',
  action: 'action-root-strict',
}
const schemas = new Map<Kind, TemplateSchema>()

/** Reads a workflow file or an `action.yml` by GitHub's own rules. */
export function readTemplateFile(
  kind: Kind,
  file: { readonly name: string; readonly text: string },
): TemplateReading {
  const context = new TemplateContext(
    new TemplateValidationErrors(),
    getSchema(kind),
    new NoOperationTraceWriter(),
  )
  const fileId = context.getFileId(file.name)
  const reader = new ValueReader(fileId, file.text)
  for (const { message, range } of reader.errors) context.error(fileId, message, range)
  // Skip the schema when the YAML is broken: its complaints would mislead.
  const root = reader.errors.length > 0 ? undefined : readTemplate(context, ROOTS[kind], reader, fileId)
  const events = root !== undefined && kind === 'workflow' ? convert(context, root) : {}
  const problems = context.errors.getErrors().map(({ message }) => message)
  if (problems.length > 0) return { status: 'invalid', problems }
  const template = root === undefined ? undefined : createTemplate(root)
  if (!(template instanceof TemplateMap)) return { status: 'invalid', problems: [`${file.name} is empty`] }
  return { status: 'valid', template, events }
}

// The library returns multi-line text as in the file, with its indentation. Without the source form it returns
// the value.
class ValueReader extends YamlObjectReader {
  override allowLiteral(): LiteralToken | undefined {
    const token = super.allowLiteral()
    if (token === undefined || !isString(token)) return token
    return new StringToken(token.file, token.range, token.value, token.definitionInfo)
  }
}

// Convert the jobs only for the errors it reports: unknown or circular needs, bad ids.
function convert(context: TemplateContext, root: TemplateToken): Events {
  if (!isMapping(root)) return {}
  const jobs = root.find('jobs')
  const on = root.find('on')
  if (jobs !== undefined) convertJobs(context, jobs)
  return on === undefined ? {} : convertOn(context, on)
}

// The library imports its JSON without the attribute that Node requires. So we import only modules without
// JSON, and read the two schema files here.
function getSchema(kind: Kind): TemplateSchema {
  const known = schemas.get(kind)
  if (known !== undefined) return known
  const schema = TemplateSchema.load(new JSONObjectReader(undefined, readFileSync(findSchema(kind), 'utf8')))
  schemas.set(kind, schema)
  return schema
}

function findSchema(kind: Kind): string {
  const name = '@actions/workflow-parser'
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  const file = folders
    .map((folder) => join(folder, name, 'dist', `${kind}-v1.0.min.json`))
    .find((candidate) => existsSync(candidate))
  if (file !== undefined) return file
  throw new LoreleyError('internal', `The schema of ${name} was not found.`, 'Reinstall loreley.')
}
