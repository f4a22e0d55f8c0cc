import type { RedisAddress } from '../../config/environment/app-environment.ts'
import type { Clock } from '../../github/api/clock.ts'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import type { AppSettings } from '../ports.ts'

/** The options of the app. */
export interface AppOptions {
  /** The base URL of the API, such as https://api.github.com. */
  readonly baseUrl: string
  /** The base URL for people, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  /** Shared by all processes of the app, if there are several. */
  readonly redis?: RedisAddress
  readonly clock?: Clock
}
