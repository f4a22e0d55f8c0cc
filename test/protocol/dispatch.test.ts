import { describe, expect, it } from 'vitest'
import { parseActionInputs } from '../../src/protocol/action-inputs.ts'
import {
  type DispatchInputs,
  dispatchInputs,
  findBindingInJobName,
  findCandidate,
  renderRunName,
} from '../../src/protocol/dispatch.ts'
import { anObjectId } from '../support/builders.ts'

const TREE = anObjectId('tree 7')

const ORDER = {
  kind: 'candidate',
  candidate: 'faster-sort-12-0042',
  state: anObjectId('state'),
  root: anObjectId('root'),
  base: anObjectId('base'),
  nonce: '0123456789abcdef',
} satisfies DispatchInputs

const BY_HAND = { kind: 'validate', candidate: '', state: '', root: '', base: '', nonce: '' }

function read(inputs: Readonly<Record<string, string>>) {
  return parseActionInputs((name) => inputs[name] ?? '')
}

describe('the inputs of a run', () => {
  it('candidate ids tell campaign and ordinal apart, whatever dashes the campaign has', () => {
    expect(findCandidate(ORDER.candidate)).toEqual({ campaign: 'faster-sort-12', ordinal: 42 })
    expect(findCandidate('a-00042')).toBeUndefined()
    expect(findCandidate('a-12345')).toEqual({ campaign: 'a', ordinal: 12_345 })
  })

  it('dispatch inputs name the run by candidate and nonce', () => {
    expect(renderRunName(ORDER)).toBe('loreley candidate faster-sort-12-0042 0123456789abcdef')
  })

  it.each([
    ['candidate', 'x-0001; rm -rf /'],
    ['candidate', 'X-0001'],
    ['state', 'loreley/state'],
    ['base', `${anObjectId('base')}\n`],
    ['root', '$(id)'],
    ['nonce', '{{ github.token }}'],
    ['nonce', ''],
    ['kind', 'merge'],
  ])('dispatch inputs are refused when %s is %j', (name, value) => {
    expect(dispatchInputs.safeParse({ ...ORDER, [name]: value }).success).toBe(false)
  })

  it('dispatch inputs may all be empty when a maintainer starts validate by hand', () => {
    expect(read({ step: 'evaluate', ...BY_HAND }).dispatch.kind).toBe('validate')
  })
})

describe('the inputs of the action', () => {
  it('action inputs bind an evaluation to one artifact and one tree', () => {
    const inputs = read({ step: 'evaluate', ...ORDER, proposal: `7.${TREE}` })
    expect(inputs.proposal).toEqual({ artifactId: 7, tree: TREE })
  })

  it.each([
    { step: 'evaluate', ...ORDER },
    { step: 'evaluate', ...ORDER, proposal: `0.${TREE}` },
    { step: 'evaluate', ...ORDER, proposal: `7.${TREE}0` },
    { step: 'propose', ...ORDER, proposal: `7.${TREE}` },
    { step: 'propose', ...ORDER, kind: 'baseline' },
    { step: 'publish', ...ORDER },
    { step: 'evaluate', ...BY_HAND, proposal: `7.${TREE}` },
  ])('action inputs are refused when they do not fit together: %j', (inputs) => {
    expect(() => read(inputs)).toThrow(expect.objectContaining({ code: 'inputs-invalid' }))
  })

  it('a fault of the action inputs never shows an input', () => {
    expect(() => read({ step: 'propose', ...ORDER, nonce: '::add-mask::x' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('add-mask') }),
    )
  })
})

describe('the name of an evaluate job', () => {
  it('a job name tells which artifact and tree were evaluated', () => {
    expect(findBindingInJobName(`evaluate 12.${TREE}`)).toEqual({ artifactId: 12, tree: TREE })
  })

  it.each(['evaluate', 'evaluate ', 'propose', `evaluate 12.${TREE} `, `Evaluate 12.${TREE}`])(
    'a job name tells nothing when it is %j',
    (name) => {
      expect(findBindingInJobName(name)).toBeUndefined()
    },
  )
})
