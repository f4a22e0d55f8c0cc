import type { ConfigFile } from '../../config/campaign-config.ts'
import { isForeign } from '../campaign/adoption.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { LogPort } from '../ports.ts'
import { type ReconfigurePorts, reconfigure } from './reconfigure.ts'
import type { ConfigReading, RepositoryConfig, Review } from './repository-config.ts'

export type ConfigWatchPorts = ReconfigurePorts & LogPort

/** Sees that campaigns under way go by the default branch's config. While that cannot be read, they keep theirs. */
export class ConfigWatch {
  readonly #ports: ConfigWatchPorts
  readonly #config: RepositoryConfig

  constructor(ports: ConfigWatchPorts, config: RepositoryConfig) {
    this.#ports = ports
    this.#config = config
  }

  /** Takes over what the config says now, begins what waits, and tells people of what cannot be done. */
  async follow(
    reading: ConfigReading,
    drivers: readonly CampaignDriver[],
    { begin, isSuspect }: Pick<Review, 'begin' | 'isSuspect'>,
  ): Promise<void> {
    const active = drivers.filter(
      (driver) => driver.snapshot.state.campaign.status.phase !== 'finished' && !isForeign(driver),
    )
    // Whoever takes the file away after the last campaign wants no more of them.
    if (reading.status === 'missing' && active.length === 0) return
    const refusals = reading.status === 'read' ? await this.#takeOver(reading.config, active) : []
    // A state that GitHub does not take is told of until it does.
    const stuck = drivers.flatMap(({ refusal }) => refusal ?? [])
    const isDue = active.some((driver) => isSuspect || isHeldUp(driver))
    await this.#config.review({ reading, others: [...refusals, ...stuck], isSuspect: isDue, begin })
  }

  /** Takes over what the config says now for a campaign that is to go on after its end. */
  async renew(driver: CampaignDriver): Promise<void> {
    const reading = await this.#config.read()
    if (reading.status === 'read') await this.#takeOver(reading.config, [driver])
  }

  async #takeOver({ campaigns }: ConfigFile, drivers: readonly CampaignDriver[]): Promise<readonly string[]> {
    const refusals: string[] = []
    for (const driver of drivers) {
      const config = campaigns.get(driver.snapshot.config.name)
      // One whose section is gone ends as it was begun.
      if (config === undefined) continue
      try {
        refusals.push(...(await reconfigure(this.#ports, driver, config)))
      } catch (error) {
        const { id } = driver.snapshot.state.campaign
        this.#ports.log('error', 'a config could not be taken over', { campaign: id, error })
      }
    }
    return refusals
  }
}

function isHeldUp({ snapshot }: CampaignDriver): boolean {
  const { status } = snapshot.state.campaign
  return status.phase === 'paused' && status.reason === 'preflight'
}
