import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findImports, readSources } from '../../scripts/house/source-tree.ts'
import { findBreaches, MAY_IMPORT } from './architecture-rules.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

describe('the source tree', () => {
  const sources = readSources(src, /\.[cm]?[jt]sx?$/)

  it('the sources keep the import directions, the purity of core, and the ceiling', () => {
    expect(findBreaches(sources)).toEqual([])
  })

  it('the rules name the folders that exist and no others', () => {
    const folders = new Set([...sources.keys()].map((path) => path.split('/')[0]))
    expect(new Set(Object.keys(MAY_IMPORT))).toEqual(folders)
    const named = Object.values(MAY_IMPORT).flatMap((allowed) => (allowed === 'all' ? [] : allowed))
    expect(named.filter((folder) => !folders.has(folder))).toEqual([])
  })

  it('the test reads the sources', () => {
    expect(sources.size).toBeGreaterThan(50)
    const [, tick = ''] = [...sources].find(([path]) => /^core\/(?:.*\/)?tick\.ts$/.test(path)) ?? []
    expect(findImports(tick).some((target) => target.endsWith('/plan.ts'))).toBe(true)
  })
})

describe('the rules', () => {
  it.each([
    ["import { a } from './a.ts'", './a.ts'],
    ["import type { A } from '../core/a.ts'", '../core/a.ts'],
    ["import * as z from 'zod'", 'zod'],
    ["import {\n  a,\n  type B,\n} from './b.ts'", './b.ts'],
    ["export { a } from './c.ts'", './c.ts'],
    ["export * from './d.ts'", './d.ts'],
    ["import './e.ts'", './e.ts'],
    ["const f = await import('./f.ts')", './f.ts'],
    ['import g from "./g.ts"', './g.ts'],
  ])('the rules see the import in %j', (text, target) => {
    expect(findImports(text)).toEqual([target])
  })

  it.each([
    "// import { a } from './a.ts'",
    "/* import './a.ts' */",
    "const url = 'https://a' // from './a.ts'",
  ])('the rules see no import in %j', (text) => {
    expect(findImports(text)).toEqual([])
  })

  it.each([
    ['core/a.ts', "import { b } from '../git/b.ts'", 'core/a.ts: core may not import git'],
    ['core/a.ts', "import { readFile } from 'node:fs'", 'core/a.ts: core may not import node:fs'],
    ['core/a.ts', "import * as z from 'zod'", 'core/a.ts: core may not import zod'],
    ['core/a.ts', 'const chance = Math.random()', 'core/a.ts: core may not use Math.random'],
    ['core/a.ts', 'const now = new Date()', 'core/a.ts: core has no clock'],
    ['core/a.ts', 'const now = Date.now()', 'core/a.ts: core has no clock'],
    ['app/a.ts', "import { b } from '../agents/b.ts'", 'app/a.ts: app may not import agents'],
    ['app/a.ts', "export { b } from '../pipeline/b.ts'", 'app/a.ts: app may not import pipeline'],
    ['pipeline/a.ts', "import { b } from '../github/b.ts'", 'pipeline/a.ts: pipeline may not import github'],
    ['pipeline/deep/a.ts', "import '../../app/b.ts'", 'pipeline/deep/a.ts: pipeline may not import app'],
    ['errors.ts', "import { b } from './core/b.ts'", 'errors.ts: errors.ts may not import core'],
    ['local/a.ts', "import { b } from '../entrypoints/b.ts'", 'local/a.ts: nobody may import entrypoints'],
    [
      'store/a.ts',
      'const path = process.env.PATH',
      'store/a.ts: only config and entrypoints may read process.env',
    ],
    ['local/a.ts', "spawn('git', ['status'])", 'local/a.ts: only git may start git'],
    ['misc/a.ts', '', 'misc/a.ts: the folder misc is not in the table'],
    ['core/a.ts', 'x\n'.repeat(401), 'core/a.ts: 401 lines, more than 400'],
  ])('the rules refuse in %s the text %j', (path, text, breach) => {
    expect(findBreaches(new Map([[path, text]]))).toEqual([breach])
  })

  it.each([
    ['core/a.ts', "import { LoreleyError } from '../errors.ts'\nconst at = new Date(0)"],
    ['core/a.ts', "import { uniformInt } from 'pure-rand/distribution/uniformInt'"],
    ['config/a.ts', 'export const path = process.env.PATH'],
    ['entrypoints/cli/a.ts', "import { b } from '../../app/b.ts'"],
    ['git/a.ts', "spawn('git', [])"],
    ['core/a.ts', 'x\n'.repeat(400)],
  ])('the rules allow in %s the text %j', (path, text) => {
    expect(findBreaches(new Map([[path, text]]))).toEqual([])
  })

  it('the rules see a cycle between folders, also around corners', () => {
    const sources = new Map([
      ['entrypoints/a.ts', "import '../local/b.ts'"],
      ['local/b.ts', "import '../store/c.ts'"],
      ['store/c.ts', "import '../local/d.ts'"],
      ['local/d.ts', ''],
    ])
    expect(findBreaches(sources)).toEqual([
      'store/c.ts: store may not import local',
      'local, store: import each other',
    ])
  })

  it('the rules see a cycle between files, also one of types alone', () => {
    const sources = new Map([
      ['core/a.ts', "import type { B } from './b.ts'"],
      ['core/b.ts', "import { c } from './c.ts'"],
      ['core/c.ts', "export const c = (a: import('./a.ts').A) => a"],
      ['core/d.ts', "import './a.ts'"],
    ])
    expect(findBreaches(sources)).toEqual(['core/a.ts, core/b.ts, core/c.ts: import each other'])
  })
})
