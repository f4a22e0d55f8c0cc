import type { IncomingMessage, ServerResponse } from 'node:http'

const HELP = {
  webhooks: 'Webhooks received, by event',
  requests: 'Requests sent to GitHub, by route',
  failures: 'Tasks that failed, by what they were',
  redis_failures: 'What Redis did not answer, so that this process decided alone, by what was asked',
} as const

/** Counts for Prometheus, and whether the app is well. */
export class AppMetrics {
  readonly #counts = new Map<string, number>()

  count(what: keyof typeof HELP, label: string): void {
    const key = `loreley_${what}_total{kind="${label.replaceAll(/[\\"\n]/g, '_')}"}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Answers /health, /ready and /metrics; false for everything else. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    { waiting, isReady }: { readonly waiting: number; readonly isReady: boolean },
  ): boolean {
    const path = (request.url ?? '').split('?')[0]
    const isOurs = path === '/health' || path === '/ready' || path === '/metrics'
    if (request.method !== 'GET' || !isOurs) return false
    const isRefused = path === '/ready' && !isReady
    const body = path === '/metrics' ? this.#render(waiting) : isRefused ? 'not ready\n' : 'ok\n'
    response.writeHead(isRefused ? 503 : 200, { 'content-type': 'text/plain; version=0.0.4' }).end(body)
    return true
  }

  #render(waiting: number): string {
    const heads = Object.entries(HELP).flatMap(([name, help]) => [
      `# HELP loreley_${name}_total ${help}`,
      `# TYPE loreley_${name}_total counter`,
      ...[...this.#counts].flatMap(([key, count]) =>
        key.startsWith(`loreley_${name}_total{`) ? [`${key} ${count}`] : [],
      ),
    ])
    const gauge = ['# HELP loreley_queue Tasks waiting or under way', '# TYPE loreley_queue gauge']
    return `${[...heads, ...gauge, `loreley_queue ${waiting}`].join('\n')}\n`
  }
}
