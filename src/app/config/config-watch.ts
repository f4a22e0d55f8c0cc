import type { ConfigFile } from '../../config/campaign-config.ts'
import { isForeign } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { LogPort } from '../ports.ts'
import { type ReconfigurePorts, reconfigure } from './reconfigure.ts'
import type { ConfigReading, RepositoryConfig, Review } from './repository-config.ts'

export type ConfigWatchPorts = ReconfigurePorts & LogPort

/** Keeps running campaigns on the default branch's config. While that cannot be read, they keep their own. */
export class ConfigWatch {
  readonly #ports: ConfigWatchPorts
  readonly #config: RepositoryConfig

  constructor(ports: ConfigWatchPorts, config: RepositoryConfig) {
    this.#ports = ports
    this.#config = config
  }

  /** Applies the current config, starts waiting campaigns, and reports what is impossible. */
  async follow(
    reading: ConfigReading,
    drivers: readonly CampaignDriver[],
    { begin, isSuspect }: Pick<Review, 'begin' | 'isSuspect'>,
  ): Promise<void> {
    const active = drivers.filter(
      (driver) => driver.snapshot.state.campaign.status.phase !== 'finished' && !isForeign(driver),
    )
    // Removing the file after the last campaign means that nobody wants another one.
    if (reading.status === 'missing' && active.length === 0) return
    const refusals = reading.status === 'read' ? await this.#takeOver(reading.config, active) : []
    // Report a refused state until GitHub accepts it.
    const stuck = drivers.flatMap(({ refusal }) => refusal ?? [])
    const isDue = active.some((driver) => isSuspect || isHeldUp(driver))
    await this.#config.review({ reading, others: [...refusals, ...stuck], isSuspect: isDue, begin })
  }

  /** Applies the current config to a finished campaign that should continue. */
  async renew(driver: CampaignDriver): Promise<void> {
    const reading = await this.#config.read()
    if (reading.status === 'read') await this.#takeOver(reading.config, [driver])
  }

  async #takeOver({ campaigns }: ConfigFile, drivers: readonly CampaignDriver[]): Promise<readonly string[]> {
    const refusals: string[] = []
    for (const driver of drivers) {
      const config = campaigns.get(driver.snapshot.config.name)
      // If its section is gone, a campaign ends with the config it started with.
      if (config === undefined) continue
      try {
        refusals.push(...(await reconfigure(this.#ports, driver, config)))
      } catch (error) {
        const { id } = driver.snapshot.state.campaign
        this.#ports.log('error', 'a config could not be applied', { campaign: id, error })
      }
    }
    return refusals
  }
}

function isHeldUp({ snapshot }: CampaignDriver): boolean {
  const { status } = snapshot.state.campaign
  return status.phase === 'paused' && status.reason === 'preflight'
}
