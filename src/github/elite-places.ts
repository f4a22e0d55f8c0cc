import type { CampaignConfig } from '../protocol/config-document.ts'
import type { ElitePlace } from '../store/layout.ts'
import type { BaseTrees } from './base-trees.ts'
import { adviseElitePlace, type PlaceAdvice, type PlaceQuestion } from './elite-place.ts'
import { type Finding, fine } from './finding.ts'
import type { RepositoryApi } from './repository-api.ts'

type Wish = Pick<CampaignConfig, 'archive'>

/** Knows where the elites of a repository's campaigns stand: where `archive.refs` says, or where it was found best. */
export class ElitePlaces {
  readonly #api: RepositoryApi
  readonly #trees: BaseTrees
  readonly #advice = new Map<string, PlaceAdvice>()

  constructor(api: RepositoryApi, trees: BaseTrees) {
    this.#api = api
    this.#trees = trees
  }

  /** Looks once what acts on branches: before the first elite is published. */
  async look(question: PlaceQuestion): Promise<PlaceAdvice> {
    const known = this.#advice.get(question.campaign)
    const advice = known ?? (await adviseElitePlace(this.#api, this.#trees, question))
    this.#advice.set(question.campaign, advice)
    return advice
  }

  /** Looks once more: something was refused. */
  async lookAgain(question: PlaceQuestion): Promise<void> {
    this.#advice.set(question.campaign, await adviseElitePlace(this.#api, this.#trees, question))
  }

  placeOf(campaign: string, { archive }: Wish): ElitePlace {
    return archive.refs === 'auto' ? (this.#advice.get(campaign)?.place ?? 'branches') : archive.refs
  }

  /** What people should know of it; undefined when elites are branches and nothing minds. */
  noteOf(campaign: string, wish: Wish): string | undefined {
    const { reasons } = this.#advice.get(campaign) ?? { reasons: [] }
    return findNote(wish, reasons)
  }
}

/** Whether elites stand where nothing is set off. */
export function checkElites(wish: Wish, { reasons }: PlaceAdvice): Finding {
  const topic = 'elite-refs'
  const note = findNote(wish, reasons)
  if (note === undefined) return fine(topic, 'Elites become branches.')
  if (wish.archive.refs !== 'branches') return fine(topic, note)
  return {
    topic,
    state: 'warning',
    message: note,
    remedy: 'Set `archive.refs: auto` to keep them elsewhere.',
  }
}

const HIDDEN = 'Elites are no branches: they stand below `refs/loreley/elite/`'

function findNote({ archive }: Wish, reasons: readonly string[]): string | undefined {
  if (archive.refs === 'hidden') return `${HIDDEN}, as \`archive.refs\` says.`
  if (reasons.length === 0) return undefined
  const why = reasons.join('; ')
  return archive.refs === 'auto'
    ? `${HIDDEN}, because ${why}.`
    : `Elites are branches, as \`archive.refs\` says, though ${why}.`
}
