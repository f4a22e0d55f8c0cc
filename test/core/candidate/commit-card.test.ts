import { expect, it } from 'vitest'
import { createCommitCard } from '../../../src/core/candidate/commit-card.ts'

const churn = (path: string, linesAdded: number) => ({ path, linesAdded, linesRemoved: 1 })

it('names the files that changed most, ties in the order of paths, and counts the rest', () => {
  const files = Array.from({ length: 12 }, (_, index) => churn(`f${index}`, index % 3))
  const card = createCommitCard(files)
  expect(card.files).toBe(12)
  expect(card.highlights.map(({ path }) => path)).toEqual(['f11', 'f2', 'f5', 'f8', 'f1', 'f10', 'f4', 'f7'])
})
