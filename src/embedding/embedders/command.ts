import * as z from 'zod'
import { component, type Embedder, EmbedderFault, NOTHING_PAID, normalise } from '../embedder.ts'

/** Runs the configured command on an input. Returns its output, or says how it failed. */
export type CommandRunner = (
  input: string,
) => Promise<{ readonly output: string } | { readonly fault: string }>

const answerSchema = z.array(z.array(component))

/** A command that reads a JSON array of texts and prints a JSON array of as many vectors. */
export function createCommandEmbedder(dimensions: number, run: CommandRunner): Embedder {
  return {
    dimensions,
    chunked: true,
    embed: async (texts) => {
      if (texts.length === 0) return { vectors: [], usage: NOTHING_PAID }
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
        usage: NOTHING_PAID,
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

function failed(detail: string, cause?: unknown): EmbedderFault {
  return new EmbedderFault(
    `The command of search.embedder cannot be used: ${detail}.`,
    'It must read a JSON array of texts from stdin and print a JSON array of as many vectors.',
    { cause },
  )
}
