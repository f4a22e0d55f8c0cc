// The metrics of a candidate: how long it takes for a text.
import { ask } from './ask.mjs'
import { assertCounts } from './assert-counts.mjs'

// Every answer must be right. The time is that of the fastest round: what slows the others down comes from whatever else
// the machine has to do. Many short rounds, so that some of them are left alone even on a busy machine. The first one does
// not count: it includes the program's start.
export async function measure(candidate, texts) {
  const answers = await ask(candidate, texts)
  for (const [index, { answer }] of answers.entries()) assertCounts(answer, texts[index])
  return { ms: Math.min(...answers.slice(1).map(({ ms }) => ms)) }
}
