import type { ActorPort, ApiPort, ClockPort, CommentsPort, LogPort, PermissionsPort } from '../ports.ts'
import type { Evidence } from '../reconcile/evidence.ts'
import { ButtonCommands } from './button-commands.ts'
import type { CampaignIssues, IssueParts } from './campaign-issues.ts'
import { CheckboxCommands } from './checkbox-commands.ts'
import { CommentCommands } from './comment-commands.ts'

export type CommandPorts = ApiPort & ActorPort & ClockPort & CommentsPort & LogPort & PermissionsPort

/** The three forms of a command. Each obeys only people with write access. */
export class Commands {
  readonly comments: CommentCommands
  readonly boxes: CheckboxCommands
  readonly buttons: ButtonCommands

  constructor(ports: CommandPorts, parts: IssueParts & { readonly issues: CampaignIssues }) {
    this.comments = new CommentCommands(ports, parts)
    this.boxes = new CheckboxCommands(ports, parts)
    this.buttons = new ButtonCommands(ports, parts)
  }

  /** Obeys a webhook that carries a command in any form. */
  async obey({ event, sender, delivery }: Evidence): Promise<void> {
    switch (event.type) {
      case 'commented':
        return await this.comments.obey({ ...event, sender })
      case 'comment-edited':
        return await this.boxes.obeyTold(event, sender)
      case 'pull-edited':
        return await this.boxes.obeyPull(event, sender)
      case 'button':
        return await this.buttons.obey({ event, sender, delivery })
      default:
    }
  }
}
