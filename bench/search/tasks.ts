import { asProblem, type Problem } from './task.ts'
import { plateau, trap } from './tasks/blocks.ts'
import { circles } from './tasks/circles.ts'
import { autocorrelation, minimumOverlap } from './tasks/functions.ts'
import { HELD_BACK_TASKS } from './tasks/held-back.ts'
import { hotSpots } from './tasks/hot-spots.ts'
import { points } from './tasks/points.ts'
import { settings } from './tasks/settings.ts'
import { sorting } from './tasks/sorting.ts'
import { tours } from './tasks/tours.ts'
import { trees } from './tasks/trees.ts'
import { tuning } from './tasks/tuning.ts'

/** The tasks that the policy was tuned on. */
export const TASKS: readonly Problem[] = [
  asProblem(circles),
  asProblem(minimumOverlap),
  asProblem(autocorrelation),
  asProblem(points),
  asProblem(settings),
  asProblem(trap),
  asProblem(plateau),
  asProblem(hotSpots),
  asProblem(trees),
  asProblem(sorting),
  asProblem(tours),
  asProblem(tuning),
]

export const HELD_BACK: readonly Problem[] = [
  asProblem(HELD_BACK_TASKS.schedule),
  asProblem(HELD_BACK_TASKS.cut),
  asProblem(HELD_BACK_TASKS.filter),
]
