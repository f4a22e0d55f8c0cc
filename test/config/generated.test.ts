import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { findStale } from '../../scripts/generate.ts'
import {
  CAMPAIGN_JSON_SCHEMA,
  FILE_JSON_SCHEMA,
  propertiesOf,
  type SchemaNode,
} from '../../src/config/file/json-schema.ts'
import { findConfigProblems } from '../../src/config/file/parse.ts'
import { SMALLEST } from './examples.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

it('the generated files are up to date', async () => {
  expect(await findStale(root)).toEqual([])
})

it('shows examples in docs/reference/config.md that are valid, the smallest in five lines', async () => {
  const page = await readFile(`${root}/docs/reference/config.md`, 'utf8')
  const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  expect(examples[0]).toBe(SMALLEST)
  expect(SMALLEST.trimEnd().split('\n')).toHaveLength(5)
  for (const example of examples) expect(findConfigProblems(example)).toEqual([])
})

it('describes every key', () => {
  const undescribed = (node: SchemaNode, path: string): string[] =>
    propertiesOf(node).flatMap(([key, child]) => [
      ...(child.description ? [] : [`${path}.${key}`]),
      ...undescribed(child, `${path}.${key}`),
    ])
  expect(undescribed(CAMPAIGN_JSON_SCHEMA, '')).toEqual([])
})

it('requires keys at the top level only when there are no named campaigns', () => {
  expect(FILE_JSON_SCHEMA.required).toBeUndefined()
  expect(FILE_JSON_SCHEMA.if).toEqual({ required: ['campaigns'] })
  expect(FILE_JSON_SCHEMA.else).toMatchObject({
    required: ['goal', 'scope', 'objectives', 'evaluation'],
    properties: { scope: { required: ['editable'] }, evaluation: { required: ['command'] } },
  })
})
