import { findCandidate } from '../../protocol/dispatch.ts'
import type { CampaignDriver } from '../campaign/campaign-driver.ts'
import type { Campaigns } from '../campaign/campaigns.ts'
import type { ApiPort, ClockPort, CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { EventOf, Evidence } from '../reconcile/evidence.ts'
import { type Command, findButton } from './command-syntax.ts'
import { answerPress, type ButtonPress, isAnswered } from './press-answers.ts'
import { replyTo } from './reply.ts'
import { mayWrite } from './sender.ts'
import type { Steering } from './steering.ts'

type ButtonPorts = ApiPort & ClockPort & CommentsPort & LogPort & PermissionsPort

interface ButtonParts {
  readonly campaigns: Pick<Campaigns, 'find'>
  readonly steering: Steering
}

/** A press by somebody who may, on a candidate of a known campaign. */
interface SeenPress {
  readonly driver: CampaignDriver
  readonly command: Command
  readonly press: ButtonPress
  readonly isAnswered: boolean
}

/** Whether a press is still to be obeyed. The state records what was obeyed, even if its answer could not be written. */
export function isPressDue(
  pressed: readonly string[] = [],
  { press, isAnswered }: Pick<SeenPress, 'isAnswered'> & { readonly press: Pick<ButtonPress, 'delivery'> },
): boolean {
  return !isAnswered && (press.delivery === undefined || !pressed.includes(press.delivery))
}

/** Obeys the buttons of check runs, each press once. */
export class ButtonCommands {
  readonly #ports: ButtonPorts
  readonly #parts: ButtonParts

  constructor(ports: ButtonPorts, parts: ButtonParts) {
    this.#ports = ports
    this.#parts = parts
  }

  async obey(told: Evidence<'button'>): Promise<void> {
    const seen = await this.#observe(told)
    if (seen === undefined) return
    if (isPressDue(seen.driver.snapshot.state.campaign.control.pressed, seen)) await this.#apply(seen)
  }

  async #observe({ event, sender, delivery }: Evidence<'button'>): Promise<SeenPress | undefined> {
    const { externalId: candidate, identifier, sha }: EventOf<'button'> = event
    const found = findCandidate(candidate)
    const button = found && findButton(identifier, found.ordinal)
    if (found === undefined || button === undefined || !(await mayWrite(this.#ports, sender)))
      return undefined
    const driver = await this.#parts.campaigns.find(found.campaign)
    if (driver === undefined) return undefined
    const { direction, pressed } = driver.snapshot.state.campaign.control
    const press = {
      delivery,
      by: sender.login,
      button: button.label,
      candidate,
      sha,
      issue: direction?.issue,
    }
    // Saves the requests that ask for an answer.
    const isKnown = !isPressDue(pressed, { press, isAnswered: false })
    return {
      driver,
      command: button.command,
      press,
      isAnswered: isKnown || (await isAnswered(this.#ports, press)),
    }
  }

  async #apply({ driver, command, press }: SeenPress): Promise<void> {
    const { candidate, delivery = '', by } = press
    const obey = () => this.#parts.steering.obey(driver, command, by)
    const reply = await replyTo(this.#ports, { candidate }, () =>
      driver.takingWith({ type: 'pressed', delivery }, obey),
    )
    await answerPress(this.#ports, press, reply)
  }
}
