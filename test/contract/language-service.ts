import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tsImport } from 'tsx/esm/api'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'
import * as z from 'zod'

type LanguageService = typeof import('@actions/languageservice')

const ROOT = join(import.meta.dirname, '../..')
const STAND_INS = 'src/sandbox/runner/stand-ins'

const metadata = z.looseObject({
  name: z.string(),
  description: z.string(),
  inputs: z
    .record(z.string(), z.looseObject({ description: z.string(), required: z.boolean().default(false) }))
    .default({}),
  outputs: z.record(z.string(), z.looseObject({ description: z.string() })).default({}),
})

let service: Promise<LanguageService> | undefined
let documents = 0

// It imports JSON as plain Node does not allow; tsx does.
function loadService(): Promise<LanguageService> {
  service ??= tsImport('@actions/languageservice', import.meta.url)
  return service
}

/** What GitHub's own editor support finds wrong with a workflow or an action.yml, inputs of its actions included. */
export async function validateWithLanguageService(path: string, text: string): Promise<string[]> {
  const { validate } = await loadService()
  // It remembers what it read by address: each text gets its own.
  documents += 1
  const document = TextDocument.create(`file:///${documents}/${path}`, 'yaml', 1, text)
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name }) =>
        metadata.parse(parse(readFileSync(join(ROOT, folderOf(owner, name), 'action.yml'), 'utf8'))),
    },
  })
  return found.map(({ message, range }) => `${range.start.line + 1}: ${message}`)
}

// The stand-ins take the inputs of the actions that they stand for.
function folderOf(owner: string, name: string): string {
  return owner === 'actions' ? join(STAND_INS, owner, name) : 'action'
}
