import type { Snapshot, StateStore } from './state-store.ts'

/** Whether a candidate with this tree was judged before, in the epoch that the campaign is in. */
export async function isKnownTree(
  store: Pick<StateStore, 'withTrees'>,
  snapshot: Snapshot,
  tree: string,
): Promise<boolean> {
  const { state } = await store.withTrees(snapshot, [tree])
  return state.trees.get(tree.slice(0, 2))?.has(tree) === true
}

/**
 * The same of what has become of a campaign since a job was given out. What another epoch judged, or another evaluator
 * measured, says nothing about that job.
 */
export async function isKnownSince(
  store: Pick<StateStore, 'withTrees'>,
  { given, now }: { readonly given: Snapshot; readonly now: Snapshot },
  tree: string,
): Promise<boolean> {
  const [then, today] = [given.state.campaign, now.state.campaign]
  if (then.epoch !== today.epoch || then.evaluator !== today.evaluator) return false
  return await isKnownTree(store, now, tree)
}
