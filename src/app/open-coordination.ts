import type { RedisAddress } from '../config/environment/app-environment.ts'
import type { Clock } from '../github/api/clock.ts'
import type { PaceSettings } from '../github/api/pace-settings.ts'
import { type Coordination, OwnCoordination } from './coordination.ts'
import { RedisCoordination } from './redis-coordination.ts'
import { RedisLink, type RedisLinkOptions } from './redis-link.ts'

export interface CoordinationOrder {
  /** Undefined where one process is all there is. */
  readonly redis: RedisAddress | undefined
  readonly pace: PaceSettings
  readonly clock: Clock
  readonly onFailure: RedisLinkOptions['onFailure']
}

/** How this process comes to terms with others of the app: through Redis, or by itself. */
export function openCoordination({ redis, pace, clock, onFailure }: CoordinationOrder): Coordination {
  if (redis === undefined) return new OwnCoordination()
  return new RedisCoordination({ link: new RedisLink({ ...redis, clock, onFailure }), clock, pace })
}
