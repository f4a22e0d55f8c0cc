import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readInbox } from '../../src/entrypoints/action/documents.ts'
import { aProposal, bytesOf } from '../support/artifacts.ts'
import { aFolder } from '../support/repository.ts'

describe('what was handed on', () => {
  it('a proposal is read from its one file', async () => {
    const inbox = aFolder()
    writeFileSync(join(inbox, 'proposal.json'), bytesOf(aProposal()))
    expect(await readInbox(inbox)).toEqual({ status: 'read', document: aProposal() })
  })

  it.each<[what: string, put: (file: string) => void, detail: string]>([
    [
      'a link to a proposal',
      (file) => {
        const elsewhere = join(aFolder(), 'a.json')
        writeFileSync(elsewhere, bytesOf(aProposal()))
        symlinkSync(elsewhere, file)
      },
      'proposal.json is not a plain file',
    ],
    [
      'a pipe',
      (file) => execFileSync('sh', ['-c', 'mkfifo "$0"', file]),
      'proposal.json is not a plain file',
    ],
    ['a folder', (file) => mkdirSync(file), 'proposal.json is not a plain file'],
    ['nothing', () => undefined, 'it is not exactly one file, proposal.json'],
    ['more than there may be', (file) => writeFileSync(file, Buffer.alloc(9_000_000)), 'bytes'],
  ])('a proposal is not read where it is %s', async (_what, put, detail) => {
    const inbox = aFolder()
    put(join(inbox, 'proposal.json'))
    expect(await readInbox(inbox)).toEqual({
      status: 'unreadable',
      detail: expect.stringContaining(detail),
    })
  })
})
