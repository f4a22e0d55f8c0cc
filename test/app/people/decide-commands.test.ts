import { describe, expect, it } from 'vitest'
import { isPressDue } from '../../../src/app/people/button-commands.ts'
import { decideBoxes } from '../../../src/app/people/checkbox-commands.ts'
import { findCommand } from '../../../src/app/people/command-syntax.ts'
import { decideComment, decideWish } from '../../../src/app/people/comment-commands.ts'

const read = (body: string) => findCommand(body) ?? { status: 'unknown', hint: 'not a command' }
const pause = read('/loreley pause')

describe('whether a comment gets an answer', () => {
  it.each([
    ['text without a command is ignored', { reading: undefined, isOver: false }, 'ignore'],
    ['a command that was handled is ignored', { reading: pause, isOver: true }, 'ignore'],
    ['a stranger is turned away', { reading: pause, isOver: false, mayWrite: false }, 'turn-away'],
    [
      'a command that another process answered is ignored',
      { reading: pause, isOver: false, mayWrite: true, isAnswered: true },
      'ignore',
    ],
    [
      'a new command of a writer is answered',
      { reading: pause, isOver: false, mayWrite: true, isAnswered: false },
      'answer',
    ],
  ])('%s', (_name, seen, type) => {
    expect(decideComment(seen)).toMatchObject({ type })
  })
})

describe('what a command asks for', () => {
  const issue = { number: 7, isPull: false }
  const pull = { number: 9, isPull: true }
  const at = '2026-01-01T00:00:00Z'

  it.each([
    ['an unknown command is refused with a hint', '/loreley dance', issue, true, { type: 'reply' }],
    ['help needs no campaign', '/loreley help', issue, false, { type: 'reply', reply: { status: 'done' } }],
    ['start begins a campaign on an issue', '/loreley start', issue, false, { type: 'begin', at }],
    [
      'start begins nothing on a pull request',
      '/loreley start',
      pull,
      false,
      { type: 'reply', reply: { status: 'refused' } },
    ],
    [
      'pause without a campaign is refused',
      '/loreley pause',
      issue,
      false,
      { type: 'reply', reply: { status: 'refused' } },
    ],
    [
      'start resumes the campaign that is there, as of the time of the comment',
      '/loreley start',
      issue,
      true,
      { type: 'steer', command: { name: 'start', at } },
    ],
    [
      'ci on a pull request means that one',
      '/loreley ci',
      pull,
      true,
      { type: 'steer', command: { name: 'ci', pull: 9 } },
    ],
    [
      'ci with a number means that number',
      '/loreley ci #4',
      pull,
      true,
      { type: 'steer', command: { name: 'ci', pull: 4 } },
    ],
  ])('%s', (_name, body, subject, hasCampaign, wish) => {
    expect(decideWish(read(body), subject, { hasCampaign, at })).toMatchObject(wish)
  })
})

describe('what ticked boxes ask for', () => {
  it('only offered boxes are obeyed, and a candidate that is no longer offered is refused', () => {
    const markers = ['pause', 'retry', 'promote=3', 'promote=4', 'nonsense']
    expect(decideBoxes(['pause', 'promote=4'], { markers, by: 'wendy' })).toMatchObject([
      { type: 'obey', command: { name: 'pause' }, by: 'wendy' },
      { type: 'refuse', text: expect.stringContaining('Candidate 3 is no longer offered') },
      { type: 'obey', command: { name: 'promote', ordinal: 4 } },
    ])
  })

  it('boxes that nobody with write access ticked ask for nothing', () => {
    expect(decideBoxes(['pause'], { markers: ['pause', 'promote=3'], by: undefined })).toEqual([])
  })
})

describe('a press of a button', () => {
  it.each([
    ['is due', 'one', false, true],
    ['is over when the state records it', 'two', false, false],
    ['is over when it was answered', 'one', true, false],
    ['without a delivery is due until it was answered', undefined, false, true],
  ])('a press %s', (_name, delivery, isAnswered, due) => {
    expect(isPressDue(['two'], { press: { delivery }, isAnswered })).toBe(due)
  })
})
