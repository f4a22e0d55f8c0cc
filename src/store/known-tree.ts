import type { Snapshot, StateStore } from './state-store.ts'

/** Whether a candidate with this tree was judged before in the current epoch. */
export async function isKnownTree(
  store: Pick<StateStore, 'withTrees'>,
  snapshot: Snapshot,
  tree: string,
): Promise<boolean> {
  const { state } = await store.withTrees(snapshot, [tree])
  return state.trees.get(tree.slice(0, 2))?.has(tree) === true
}

/**
 * Whether a candidate with this tree was judged since a job was dispatched. Another epoch or another evaluator does not
 * count for that job.
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
