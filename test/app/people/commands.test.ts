import { describe, expect, it } from 'vitest'
import { commandOfBox, commandOfButton, findCommand } from '../../../src/app/people/command-syntax.ts'

describe('a comment', () => {
  it.each([
    ['/loreley pause', { name: 'pause' }],
    ['/loreley', { name: 'help' }],
    ['/loreley promote 42', { name: 'promote', ordinal: 42 }],
    ['/loreley promote speed-7-0042', { name: 'promote', ordinal: 42 }],
    ['/loreley ci #12', { name: 'ci', pull: 12 }],
    ['/loreley ci', { name: 'ci', pull: undefined }],
    ['/loreley budget dollars 2.5', { name: 'budget', what: 'dollars', amount: 2.5 }],
    ['/loreley stop\nbecause of reasons', { name: 'stop' }],
  ])('%j asks for %j', (body, command) => {
    expect(findCommand(body)).toEqual({ status: 'command', command })
  })

  it.each(['loreley pause', 'please /loreley pause', '/loreleyx pause', '> /loreley stop', ''])(
    '%j is none of our business',
    (body) => {
      expect(findCommand(body)).toBeUndefined()
    },
  )

  it.each([
    '/loreley dance',
    '/loreley promote',
    '/loreley promote x',
    '/loreley ci x',
    '/loreley budget dollars -1',
    '/loreley budget candidates 1.5',
    '/loreley budget cats 3',
  ])('%j is answered with a hint', (body) => {
    expect(findCommand(body)).toMatchObject({ status: 'unknown' })
  })
})

describe('boxes and buttons', () => {
  it('mean commands', () => {
    expect(commandOfBox('promote=7')).toEqual({ name: 'promote', ordinal: 7 })
    expect(commandOfBox('retry')).toEqual({ name: 'retry-failed' })
    expect(commandOfBox('anything')).toBeUndefined()
    expect(commandOfBox('ci'), 'only a pull request offers it').toBeUndefined()
    expect(commandOfButton('discard', 3)).toEqual({ name: 'discard', ordinal: 3 })
    expect(commandOfButton('merge', 3)).toBeUndefined()
  })
})
