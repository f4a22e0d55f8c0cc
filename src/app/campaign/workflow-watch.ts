import type { CampaignState } from '../../core/campaign/campaign.ts'
import type { Subject } from '../reconcile/subject.ts'
import type { CampaignDriver } from './campaign-driver.ts'
import { type DivergencePorts, findDivergence } from './divergence.ts'

/** The workflow files of a campaign's root. It was held up because they differ from those of the default branch. */
export class WorkflowWatch implements Subject<{ readonly isMended: boolean }, 'resume'> {
  readonly #ports: DivergencePorts

  constructor(ports: DivergencePorts) {
    this.#ports = ports
  }

  async observe({ snapshot: { state } }: CampaignDriver): Promise<{ readonly isMended: boolean }> {
    const { status } = state.campaign
    const isHeld = status.phase === 'paused' && status.reason === 'workflows-diverged'
    return { isMended: isHeld && (await findDivergence(this.#ports, state)) === undefined }
  }

  decide(_state: CampaignState, { isMended }: { readonly isMended: boolean }): readonly 'resume'[] {
    return isMended ? ['resume'] : []
  }

  async apply(driver: CampaignDriver): Promise<void> {
    this.#ports.store.retryRefused()
    await driver.take({ type: 'resumed', limits: driver.snapshot.config.limits })
  }
}
