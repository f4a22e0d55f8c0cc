import { describe, expect, it } from 'vitest'
import {
  findMappedFolder,
  findStandIn,
  parseActionReference,
} from '../../../src/sandbox/runner/steps/action-folders.ts'

describe('references to actions', () => {
  it.each([
    ['actions/checkout@v4', { owner: 'actions', repo: 'checkout', path: '', ref: 'v4' }],
    ['acme/tools/lint/fast@feature/x', { owner: 'acme', repo: 'tools', path: 'lint/fast', ref: 'feature/x' }],
  ])('an action reference is read from %s', (uses, reference) => {
    expect(parseActionReference(uses)).toEqual(reference)
  })

  it.each(['./action', '../action@v1', 'docker://alpine@sha256', 'actions/checkout', 'checkout@v4'])(
    '%s is not an action reference',
    (uses) => {
      expect(parseActionReference(uses)).toBeUndefined()
    },
  )

  it("the most exact mapping decides an action's folder", () => {
    const folders = { 'Actions/Checkout': '/any', 'actions/checkout@v4': '/four' }
    const at = (ref: string) => ({ owner: 'actions', repo: 'checkout', path: 'sub', ref })
    expect(findMappedFolder(at('v4'), folders)).toBe('/four/sub')
    expect(findMappedFolder(at('v5'), folders)).toBe('/any/sub')
    expect(findMappedFolder({ ...at('v4'), repo: 'cache' }, folders)).toBeUndefined()
  })

  it('an action reference never leaves the stand-ins folder', () => {
    const path = '../../../../../../../../etc'
    expect(findStandIn({ owner: 'actions', repo: 'checkout', path, ref: 'v4' })).toBeUndefined()
  })
})
