import type { Asked, Turn } from './openai-server.ts'

const LAYOUT = `// Where the circles start: five rows of five, and one more between them.

const SIDE = 5

export function layout(count) {
  const points = []
  for (let index = 0; index < count - 1; index++) {
    points.push({ x: ((index % SIDE) + 0.5) / SIDE, y: (Math.floor(index / SIDE) + 0.5) / SIDE })
  }
  points.push({ x: 0.4, y: 0.4 })
  return points
}
`

const edit = (path: string, old: string, to: string): Turn => ({
  calls: [{ name: 'edit_file', arguments: { path, old, new: to } }],
})

const PLANNING: readonly Turn[] = [
  { calls: [{ name: 'repo_map', arguments: { about: 'layout grow' } }] },
  {
    text: '## Plan\n\nStart from a grid.\n\n1. `src/layout.js`: five rows of five.\n2. Relax and grow for longer.',
  },
]

const CODING: readonly Turn[] = [
  {
    calls: [
      { name: 'read_file', arguments: { path: 'src/layout.js' } },
      { name: 'search_text', arguments: { text: 'ROUNDS' } },
    ],
  },
  { calls: [{ name: 'write_file', arguments: { path: 'src/layout.js', content: LAYOUT } }] },
  // A slip that a real model makes: the text is not in the file.
  edit('src/grow.js', 'const ROUNDS = 5', 'const ROUNDS = 60'),
  edit('src/grow.js', 'const ROUNDS = 3', 'const ROUNDS = 60'),
  edit('src/relax.js', 'const ROUNDS = 12', 'const ROUNDS = 200'),
  edit('src/relax.js', 'const MARGIN = 0.04', 'const MARGIN = 0.08'),
  { text: 'start from a grid, relax and grow for longer' },
]

/**
 * A model that knows what to do about the circle-packing example: it plans, looks, slips once, and improves three
 * files. It goes by what it is asked, so that any number of candidates may ask at once.
 */
export function answerCompetently({ body }: Asked): Turn {
  const isPlanner = body.tools?.every(({ function: { name } }) => name !== 'edit_file') ?? true
  const turns = body.messages.filter(({ role }) => role === 'assistant').length
  const script = isPlanner ? PLANNING : CODING
  return script[turns] ?? { text: 'done' }
}
