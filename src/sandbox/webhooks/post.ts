import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type PostOutcome =
  | {
      readonly status: 'answered'
      readonly code: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
  | { readonly status: 'failed'; readonly reason: string }

const TIMEOUT_MS = 10_000
const MAX_BODY_CHARACTERS = 10_000

/** Sends a webhook. Uses a new connection each time, because the receiver may restart between two. */
export async function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<PostOutcome> {
  return await new Promise((resolve) => {
    const start = url.startsWith('https:') ? httpsRequest : httpRequest
    const options = { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS }
    const outgoing = start(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (text.length < MAX_BODY_CHARACTERS) text += chunk
      })
      response.on('error', (error) => resolve({ status: 'failed', reason: error.message }))
      response.on('end', () => {
        const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        resolve({
          status: 'answered',
          code: response.statusCode ?? 0,
          headers: Object.fromEntries(given),
          body: text.slice(0, MAX_BODY_CHARACTERS),
        })
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('timed out')))
    outgoing.on('error', (error) => resolve({ status: 'failed', reason: error.message }))
    outgoing.end(body)
  })
}
