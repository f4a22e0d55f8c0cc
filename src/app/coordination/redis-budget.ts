import * as z from 'zod'
import type { PaceSettings } from '../../github/api/pace-settings.ts'
import type { SharedBudget } from '../../github/api/pacer.ts'
import type { RedisLink } from './redis-link.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

// Counts the writes of the last hour by Redis's clock, because the clocks of servers differ. Returns how long to wait,
// or 0 for a granted write. One atomic step, so that two processes never share the last write.
const RESERVE = `
  local held = redis.call('PTTL', KEYS[2])
  if held > 0 then return held end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${HOUR_MS})
  for span, most in pairs({ [${MINUTE_MS}] = tonumber(ARGV[1]), [${HOUR_MS}] = tonumber(ARGV[2]) }) do
    local oldest = redis.call('ZREVRANGE', KEYS[1], most - 1, most - 1, 'WITHSCORES')
    if oldest[2] and tonumber(oldest[2]) > now - span then return oldest[2] + span - now + 1 end
  end
  redis.call('ZADD', KEYS[1], now, now .. '-' .. redis.call('INCR', KEYS[3]))
  redis.call('PEXPIRE', KEYS[1], ${HOUR_MS})
  redis.call('PEXPIRE', KEYS[3], ${HOUR_MS})
  return 0
`

const waitAnswer = z.coerce.number()

/** The writes of one installation, counted over all processes. */
export function createRedisBudget(link: RedisLink, pace: PaceSettings, installation: number): SharedBudget {
  const key = `loreley:{${installation}}`
  const holdKey = `${key}:hold`
  const keys = [`${key}:writes`, holdKey, `${key}:count`]
  return {
    reserve: async () => {
      const wait = await link.ask('budget', (redis) =>
        redis.eval(RESERVE, keys, [String(pace.writesPerMinute), String(pace.writesPerHour)]),
      )
      // Without Redis, the process keeps to its own pace.
      return wait === undefined ? 0 : waitAnswer.parse(wait)
    },
    hold: async (ms) => {
      if (ms > 0) await link.ask('hold', (redis) => redis.set(holdKey, '1', { px: Math.ceil(ms) }))
    },
  }
}
