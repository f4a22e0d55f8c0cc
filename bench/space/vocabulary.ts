import { pick, type Rng } from '../../src/core/rng.ts'

/** What a part of a program is about: the words that its names are made of. */
export interface Domain {
  readonly name: string
  readonly nouns: readonly string[]
  readonly verbs: readonly string[]
}

const WORDS: readonly (readonly [name: string, nouns: string, verbs: string])[] = [
  [
    'cache',
    'entry bucket shard key ttl slot page hit miss lease',
    'evict store expire warm lookup invalidate',
  ],
  [
    'queue',
    'job worker batch lane backlog ticket retry deadline',
    'enqueue drain schedule ack requeue throttle',
  ],
  ['parser', 'token grammar node rule symbol span literal cursor', 'tokenise parse match skip reduce peek'],
  [
    'router',
    'route path segment handler guard redirect query param',
    'resolve dispatch mount rewrite forward compile',
  ],
  [
    'ledger',
    'account posting balance currency invoice journal period',
    'credit debit settle reconcile close audit',
  ],
  [
    'session',
    'user cookie login grant role scope device challenge',
    'authorise refresh revoke issue verify sign',
  ],
  [
    'matrix',
    'row column pivot vector norm kernel block stride',
    'multiply transpose factor project solve scale',
  ],
  [
    'search',
    'term posting document rank snippet facet index corpus',
    'score rank expand tokenize merge highlight',
  ],
  [
    'render',
    'layout box glyph layer style viewport frame texture',
    'paint measure clip compose raster align',
  ],
  [
    'network',
    'socket packet peer header payload window frame route',
    'connect send receive ping retry negotiate',
  ],
  [
    'storage',
    'volume extent block snapshot segment manifest page log',
    'flush compact allocate restore replay seal',
  ],
  [
    'metrics',
    'counter gauge histogram label series sample rollup alert',
    'record observe aggregate export window reset',
  ],
  ['geometry', 'point circle polygon edge hull mesh radius angle', 'intersect rotate offset pack sweep clip'],
  [
    'calendar',
    'event zone recurrence interval holiday reminder shift',
    'repeat overlap snooze convert clamp expand',
  ],
  [
    'inventory',
    'item bin pallet order supplier carrier stock batch',
    'pick reserve restock ship count allocate',
  ],
  ['compiler', 'block register operand value phi loop edge scope', 'lower inline fold hoist spill emit'],
]

export const DOMAINS: readonly Domain[] = WORDS.map(([name, nouns, verbs]) => ({
  name,
  nouns: nouns.split(' '),
  verbs: verbs.split(' '),
}))

/** A name of two or three words, such as `evictStaleBucket`. */
export function functionName(domain: Domain, rng: Rng): string {
  const middle = rng.int(3) === 0 ? capital(pick(QUALITIES, rng)) : ''
  return `${pick(domain.verbs, rng)}${middle}${capital(pick(domain.nouns, rng))}`
}

/** A name of one or two words, such as `staleBucket`. */
export function variableName(domain: Domain, rng: Rng): string {
  const noun = pick(domain.nouns, rng)
  return rng.int(2) === 0 ? noun : `${pick(QUALITIES, rng)}${capital(noun)}`
}

const QUALITIES = [
  'next',
  'last',
  'stale',
  'open',
  'total',
  'best',
  'raw',
  'local',
  'max',
  'first',
  'spare',
  'known',
]

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
