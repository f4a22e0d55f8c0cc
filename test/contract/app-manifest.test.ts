import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PERMISSIONS } from '../../src/app/repository-transport.ts'
import { EVENTS } from '../../src/app/webhook-events.ts'

const manifest = parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8'))

describe('app.yml', () => {
  it('asks for the permissions that the code narrows its tokens to, and not for workflows', () => {
    expect(manifest.default_permissions).toEqual(PERMISSIONS)
    expect(manifest.default_permissions).not.toHaveProperty('workflows')
  })

  it('subscribes to the events that the code reads, and to no others', () => {
    expect(manifest.default_events).toEqual([...EVENTS])
  })

  it('sends webhooks where the server listens', () => {
    expect(manifest.hook_attributes.url).toMatch(/\/api\/github\/webhooks$/)
  })
})
