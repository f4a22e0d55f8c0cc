import type { Step } from '../../actions/documents.ts'
import { updateSteps } from '../../actions/runs/jobs.ts'
import type { Box } from '../../box.ts'
import { isoTime } from '../../format.ts'
import type { Outcome } from './job-session.ts'

/** The steps of a job as the API and the page show them. */
export class StepBoard {
  readonly #box: Box
  readonly #jobId: number
  #steps: Step[] = []

  constructor(box: Box, jobId: number) {
    this.#box = box
    this.#jobId = jobId
  }

  /** Shows a step while its work runs, then its outcome. */
  async show(name: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const number = this.#steps.length + 1
    const startedAt = this.#now()
    const begun: Step = {
      number,
      name,
      status: 'in_progress',
      conclusion: null,
      startedAt,
      completedAt: null,
    }
    this.#put(begun)
    const conclusion = await work()
    this.#put({ ...begun, status: 'completed', conclusion, completedAt: this.#now() })
    return conclusion
  }

  #put(step: Step): void {
    this.#steps = [...this.#steps.filter(({ number }) => number !== step.number), step]
    updateSteps(this.#box, this.#jobId, this.#steps)
  }

  #now(): string {
    return isoTime(this.#box.now())
  }
}
