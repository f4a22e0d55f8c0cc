import * as z from 'zod'
import { campaignSchema, fileSchema } from '../schema/campaign.ts'
import type { Path } from './layers.ts'

export type SchemaNode = z.core.JSONSchema.JSONSchema

/** One complete campaign as JSON Schema, as the file's author sees it. */
export const CAMPAIGN_JSON_SCHEMA = toJsonSchema(campaignSchema)

/**
 * The whole `.loreley.yml` as JSON Schema, for editors. With named campaigns, a required key may be shared or belong to
 * a campaign, so none is required here. `loreley validate` checks the merged campaigns.
 */
export const FILE_JSON_SCHEMA = createFileSchema()

function createFileSchema(): SchemaNode {
  const { $schema, ...campaign } = CAMPAIGN_JSON_SCHEMA
  const { version = {}, campaigns = {} } = toJsonSchema(fileSchema).properties ?? {}
  const override = withoutRequired(campaign)
  return {
    ...($schema === undefined ? {} : { $schema }),
    title: '.loreley.yml',
    ...override,
    properties: {
      version,
      ...override.properties,
      campaigns: { ...toNode(campaigns), additionalProperties: { $ref: '#/definitions/override' } },
    },
    if: { required: ['campaigns'] },
    else: onlyRequired(campaign),
    definitions: { override: { ...override, description: 'What differs in this campaign.' } },
  }
}

/** The schema nodes for a path: several if there are alternatives, none if the path is unknown. */
export function findSchemaNodes(root: SchemaNode, path: Path): readonly SchemaNode[] {
  let nodes = alternatives(root)
  for (const step of path) {
    nodes = nodes.flatMap((node) => {
      const child = typeof step === 'number' ? node.items : propertyOf(node, step)
      return child === undefined || Array.isArray(child) ? [] : alternatives(toNode(child))
    })
  }
  return nodes
}

/** The children of a mapping by key. */
export function propertiesOf(node: SchemaNode): readonly (readonly [string, SchemaNode])[] {
  return Object.entries(node.properties ?? {}).map(([key, child]) => [key, toNode(child)] as const)
}

/** A node and its alternatives. */
export function alternatives(node: SchemaNode): readonly SchemaNode[] {
  return [node, ...(node.anyOf ?? []).map(toNode)]
}

/** JSON Schema allows `true` for "anything". */
export function toNode(schema: SchemaNode | boolean): SchemaNode {
  return typeof schema === 'boolean' ? {} : schema
}

function propertyOf(node: SchemaNode, key: string): SchemaNode | boolean | undefined {
  return node.properties && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined
}

function toJsonSchema(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod bounds every integer by the largest exact double, which is noise for a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
}

// Lists replace each other as a whole, so their items stay complete: do not descend into them.
function withoutRequired({ required: _dropped, ...node }: SchemaNode): SchemaNode {
  if (node.properties === undefined) return node
  const properties = propertiesOf(node).map(([key, child]) => [key, withoutRequired(child)] as const)
  return { ...node, properties: Object.fromEntries(properties) }
}

function onlyRequired(node: SchemaNode): SchemaNode {
  const properties = propertiesOf(node)
    .map(([key, child]) => [key, onlyRequired(child)] as const)
    .filter(([, child]) => Object.keys(child).length > 0)
  return {
    ...(node.required === undefined ? {} : { required: node.required }),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
  }
}
