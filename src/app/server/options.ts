import type { RedisAddress } from '../../config/environment/app-environment.ts'
import type { Clock } from '../../github/api/clock.ts'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import type { AppSettings } from '../ports.ts'

/** The app's options. */
export interface AppOptions {
  /** The API's address, such as https://api.github.com. */
  readonly baseUrl: string
  /** The website's address, such as https://github.com. */
  readonly webUrl: string
  readonly pace: PaceSettings
  readonly settings: AppSettings
  /** A Redis that several processes share. */
  readonly redis?: RedisAddress
  readonly clock?: Clock
}
