import type { IncomingMessage, ServerResponse } from 'node:http'

const HELP = {
  webhooks: 'Webhooks received, by event',
  requests: 'Requests sent to GitHub, by route',
  failures: 'Failed tasks, by kind',
  redis_failures: 'Requests that Redis did not answer, by kind',
} as const

/** The app's current work. */
export interface Workload {
  /** Tasks that are waiting or running. */
  readonly tasks: number
  /** Requests that GitHub has not answered yet, without those that wait for their turn. */
  readonly requests: number
}

/** Counts for Prometheus, and the health of the app. */
export class AppMetrics {
  readonly #counts = new Map<string, number>()

  count(what: keyof typeof HELP, label: string): void {
    const key = `loreley_${what}_total{kind="${label.replaceAll(/[\\"\n]/g, '_')}"}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Answers /health, /ready and /metrics. Returns false for everything else. */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    { workload, isReady }: { readonly workload: Workload; readonly isReady: boolean },
  ): boolean {
    const path = (request.url ?? '').split('?')[0]
    const isOurs = path === '/health' || path === '/ready' || path === '/metrics'
    if (request.method !== 'GET' || !isOurs) return false
    const isRefused = path === '/ready' && !isReady
    const body = path === '/metrics' ? this.#render(workload) : isRefused ? 'not ready\n' : 'ok\n'
    response.writeHead(isRefused ? 503 : 200, { 'content-type': 'text/plain; version=0.0.4' }).end(body)
    return true
  }

  #render({ tasks, requests }: Workload): string {
    const heads = Object.entries(HELP).flatMap(([name, help]) => [
      `# HELP loreley_${name}_total ${help}`,
      `# TYPE loreley_${name}_total counter`,
      ...[...this.#counts].flatMap(([key, count]) =>
        key.startsWith(`loreley_${name}_total{`) ? [`${key} ${count}`] : [],
      ),
    ])
    const gauges = [
      ...renderGauge('queue', 'Tasks that are waiting or running', tasks),
      ...renderGauge('requests_under_way', 'Requests that GitHub has not answered yet', requests),
    ]
    return `${[...heads, ...gauges].join('\n')}\n`
  }
}

function renderGauge(name: string, help: string, value: number): string[] {
  return [`# HELP loreley_${name} ${help}`, `# TYPE loreley_${name} gauge`, `loreley_${name} ${value}`]
}
