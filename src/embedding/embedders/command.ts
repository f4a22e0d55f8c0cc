import * as z from 'zod'
import { LoreleyError } from '../../errors.ts'
import { type Embedder, normalise } from '../embedder.ts'

/** Runs the command of the config on an input; gives what it printed, or says how it failed. */
export type CommandRunner = (
  input: string,
) => Promise<{ readonly output: string } | { readonly fault: string }>

const answerSchema = z.array(z.array(z.number()))

/** A command that reads a JSON array of texts and prints a JSON array of as many vectors. */
export function createCommandEmbedder(command: string, dimensions: number, run: CommandRunner): Embedder {
  return {
    identity: `command/${command}/${dimensions}`,
    dimensions,
    chunked: true,
    embed: async (texts) => {
      if (texts.length === 0) return { vectors: [], usage: { tokens: 0, dollars: 0 } }
      const outcome = await run(JSON.stringify(texts))
      if ('fault' in outcome) throw failed(outcome.fault)
      const vectors = parseVectors(outcome.output)
      if (vectors.length !== texts.length)
        throw failed(`it gave ${vectors.length} vectors for ${texts.length} texts`)
      const wrong = vectors.find((vector) => vector.length !== dimensions)
      if (wrong !== undefined)
        throw failed(`it gave a vector of ${wrong.length} dimensions, the config says ${dimensions}`)
      return {
        vectors: vectors.map((vector) => normalise(Float32Array.from(vector))),
        usage: { tokens: 0, dollars: 0 },
      }
    },
  }
}

function parseVectors(output: string): number[][] {
  try {
    return answerSchema.parse(JSON.parse(output))
  } catch (error) {
    throw failed(`it printed no JSON array of vectors, but: ${output.slice(0, 200)}`, error)
  }
}

function failed(detail: string, cause?: unknown): LoreleyError {
  return new LoreleyError(
    'embedder-failed',
    `The command of search.embedder cannot be used: ${detail}.`,
    'It must read a JSON array of texts from stdin and print a JSON array of as many vectors.',
    cause,
  )
}
