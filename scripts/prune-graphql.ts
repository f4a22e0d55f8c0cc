import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parse,
  print,
  visit,
} from 'graphql'

/** Keeps the named fields of the named types, and every input, enum, scalar and union that they mention. */
export function pruneGraphql(schema: string, fields: Readonly<Record<string, readonly string[]>>): string {
  const definitions = new Map<string, DefinitionNode>()
  for (const definition of parse(withoutProse(parse(schema))).definitions) {
    if ('name' in definition && definition.name !== undefined)
      definitions.set(definition.name.value, definition)
  }
  const kept = new Map<string, DefinitionNode>()
  const keep = (name: string): void => {
    const definition = definitions.get(name)
    if (definition === undefined || kept.has(name)) return
    const pruned = pruneType(definition, fields)
    kept.set(name, pruned)
    visit(pruned, { NamedType: (node) => keep(node.name.value) })
  }
  for (const name of Object.keys(fields)) keep(name)
  return print({ kind: Kind.DOCUMENT, definitions: [...kept.values()] })
}

function pruneType(
  definition: DefinitionNode,
  fields: Readonly<Record<string, readonly string[]>>,
): DefinitionNode {
  if (definition.kind === Kind.UNION_TYPE_DEFINITION) {
    return { ...definition, types: (definition.types ?? []).filter((type) => type.name.value in fields) }
  }
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) {
    return definition
  }
  const names = fields[definition.name.value]
  if (names === undefined) throw new Error(`${definition.name.value} is mentioned but no field of it is kept`)
  const present = (definition.fields ?? []).filter((field: FieldDefinitionNode) =>
    names.includes(field.name.value),
  )
  const interfaces = (definition.interfaces ?? []).filter((type) => type.name.value in fields)
  return { ...definition, fields: present, interfaces }
}

function withoutProse(document: DocumentNode): string {
  return print(
    visit(document, {
      enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
      Directive: () => null,
    }),
  )
}
