import * as z from 'zod'
import type { Clock } from '../api/clock.ts'
import { Recent } from '../api/recent.ts'
import type { RepositoryApi } from '../api/repository-api.ts'

/** Checks who may start, steer and spend. */
export interface PermissionReader {
  canWrite(login: string): Promise<boolean>
}

const KEPT_MS = 60_000

const answer = z.object({ permission: z.string(), role_name: z.string().nullish() })

/** Asks GitHub for the person's permission and caches it for a minute. Labels and associations prove nothing. */
export class Permissions implements PermissionReader {
  readonly #api: RepositoryApi
  readonly #clock: Clock
  readonly #known = new Recent<{ readonly canWrite: boolean; readonly untilMs: number }>(1000)

  constructor(api: RepositoryApi, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  async canWrite(login: string): Promise<boolean> {
    const known = this.#known.get(login)
    if (known !== undefined && known.untilMs > this.#clock.now()) return known.canWrite
    const outcome = await this.#api.ask({
      route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      parameters: { username: login },
      answer,
      priority: 'command',
    })
    // GitHub answers 404 for bots, organisations and deleted users.
    const canWrite = outcome.status === 'done' && mayWrite(outcome.value)
    this.#known.set(login, { canWrite, untilMs: this.#clock.now() + KEPT_MS })
    return canWrite
  }
}

// The older field has four values and reports maintainers as writers; custom roles show their base role.
function mayWrite({ permission, role_name }: z.infer<typeof answer>): boolean {
  return permission === 'write' || permission === 'admin' || role_name === 'maintain'
}
