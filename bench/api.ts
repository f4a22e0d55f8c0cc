import { type AckTimes, measureAcks } from './ack.ts'
import { type ApiCounts, countRequests, RUN_MINUTES } from './api-campaign.ts'
import type { Bench, BenchOptions, BenchReport } from './bench.ts'
import { rounded } from './bench.ts'
import { isMutation } from './counting-proxy.ts'

const MANY = 20
const FEW = 4

/** What a candidate costs in requests to GitHub, and how soon webhooks are acknowledged. */
export const apiBench: Bench = {
  about: 'requests to GitHub a candidate, by kind, and how soon webhooks are acknowledged',
  run: measure,
}

async function measure(options: BenchOptions): Promise<BenchReport> {
  const candidates = options.quick ? 20 : 100
  const acks = await measureAcks(options)
  const many = await countRequests(options, { candidates, parallel: MANY })
  const few = await countRequests(options, { candidates, parallel: FEW })
  const atMany = perCandidate(many)
  return {
    headline: {
      requests_per_candidate: atMany.requests,
      mutations_per_candidate: atMany.mutations,
      ack_ratio: rounded(acks.ours / acks.bare),
    },
    details: {
      candidates,
      run_minutes: RUN_MINUTES,
      [`at_${MANY}`]: atMany,
      [`at_${FEW}`]: perCandidate(few),
      ack_ms: { ...roundedTimes(acks), deliveries_per_s: acks.perSecond },
    },
  }
}

function perCandidate({ candidates, byKind, hours }: ApiCounts) {
  const sum = (keep: (kind: string) => boolean): number =>
    [...byKind].reduce((total, [kind, count]) => (keep(kind) ? total + count : total), 0)
  const kinds = [...byKind]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => [kind, rounded(count / candidates)])
  return {
    requests: rounded(sum(() => true) / candidates),
    mutations: rounded(sum(isMutation) / candidates),
    hours: rounded(hours),
    by_kind: Object.fromEntries(kinds),
  }
}

function roundedTimes({ ours, bare }: AckTimes) {
  return { ours: rounded(ours), bare: rounded(bare) }
}
