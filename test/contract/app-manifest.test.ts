import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PERMISSIONS } from '../../src/app/repository-transport.ts'
import { EVENTS } from '../../src/app/webhook-events.ts'
import { FAMILIES } from '../../src/sandbox/api/families.ts'
import type { Need } from '../../src/sandbox/http/call.ts'
import { grants } from '../../src/sandbox/http/permissions.ts'
import type { Permissions } from '../../src/sandbox/state/documents.ts'

const manifest = parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8'))

const SIGNATURE = /'((?:GET|POST|PUT|PATCH|DELETE) \/repos\/[^']+)'/g
const withoutNames = (signature: string): string => signature.replaceAll(/\{[^}]+\}/g, '{}')

/** Every request about a repository that the App's code names, with the permissions of which it needs one. */
function readRequests(): ReadonlyMap<string, readonly Need[]> {
  const routes = FAMILIES.flatMap(({ routes }) => routes)
  const known = new Map(
    routes.flatMap((route) => {
      if (route.kind !== 'repository') return []
      const needs: readonly Need[] = [route.access.needs].flat()
      return [[withoutNames(`${route.method} ${route.template}`), needs] as const]
    }),
  )
  const folders = ['app', 'github'].map((name) => new URL(`../../src/${name}/`, import.meta.url))
  const texts = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')),
  )
  const signatures = texts.flatMap((text) => [...text.matchAll(SIGNATURE)].map(([, it = '']) => it))
  return new Map(signatures.map((it) => [it, known.get(withoutNames(it)) ?? []]))
}

describe('the permissions', () => {
  const requests = readRequests()
  const refusedWith = (permissions: Permissions): readonly string[] =>
    [...requests].flatMap(([name, needs]) => (needs.some((need) => grants(permissions, need)) ? [] : [name]))

  it('are enough for every request that the code names', () => {
    expect(requests.size).toBeGreaterThan(40)
    expect(refusedWith(PERMISSIONS)).toEqual([])
  })

  // GitHub gives `metadata: read` with any other one.
  it.each(Object.keys(PERMISSIONS).filter((name) => name !== 'metadata'))('need %s: write', (name) => {
    expect(refusedWith({ ...PERMISSIONS, [name]: 'read' })).not.toEqual([])
  })
})

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
