import type { RedisAddress } from '../../config/environment/app-environment.ts'
import type { Clock } from '../../github/api/clock.ts'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import type { AppSettings } from '../ports.ts'

/** What the app is told when it begins. */
export interface AppOptions {
  /** The API's address, such as https://api.github.com. */
  readonly baseUrl: string
  /** Where people look, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  /** Shared by all processes of the app, if there are several. */
  readonly redis?: RedisAddress
  readonly clock?: Clock
}
