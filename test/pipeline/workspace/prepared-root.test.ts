import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PreparedRoot } from '../../../src/pipeline/workspace/prepared-root.ts'
import { createWorkspace, type Workspace } from '../../../src/pipeline/workspace/workspace.ts'
import { aFolder, aRepository, git, writeFiles } from '../../support/repository.ts'
import { anEvaluation, aWorkbench, type Workbench } from '../../support/workbench.ts'

const FILES = { 'src/a.js': 'a = 1\n', 'package-lock.json': '{}\n' }
const PATH = process.env.PATH ?? ''

async function workspaceOf(bench: Workbench, preparedRoot: PreparedRoot, name: string): Promise<Workspace> {
  const { template } = preparedRoot
  const folder = join(bench.place, 'work', name)
  return await createWorkspace({
    folder,
    template,
    maxDiskBytes: 1e9,
    changes: [],
    objects: bench.git.objects,
    path: PATH,
    owner: folder,
  })
}

describe('the prepared root', () => {
  it('runs the set-up once for a root, and again for another root or another set-up', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const log = join(bench.place, 'log')
    const evaluation = anEvaluation({ setup: `echo ran >> ${log}` })
    await bench.prepareRoot(evaluation)
    await bench.prepareRoot(evaluation)
    expect(readFileSync(log, 'utf8')).toBe('ran\n')
    await bench.prepareRoot({ ...evaluation, setup: `echo other >> ${log}` })
    writeFiles(bench.source, { 'package-lock.json': '{"changed":1}\n' })
    git(bench.source, 'commit', '-qam', 'lock')
    const next = await aWorkbench(bench.source)
    await next.prepareRoot(evaluation)
    expect(readFileSync(log, 'utf8')).toBe('ran\nother\nran\n')
  })

  it('runs a set-up again that was cut off before it was ready', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const mark = join(bench.place, 'mark')
    const setup = `echo x > product; test -e ${mark} || { touch ${mark}; exit 1; }`
    const evaluation = anEvaluation({ setup })
    await expect(bench.prepareRoot(evaluation)).rejects.toMatchObject({ code: 'evaluator-setup-failed' })
    const { template } = await bench.prepareRoot(evaluation)
    expect(readdirSync(template).sort()).toEqual(['package-lock.json', 'product', 'src'])
  })

  it('fails without the values that the set-up was given', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const failing = bench.prepareRoot(anEvaluation({ setup: 'echo "denied: $TOKEN"; exit 1' }), {
      TOKEN: 'hunter2-hunter2',
    })
    await expect(failing).rejects.toThrow('denied: [secret]')
  })

  it("fails with the set-up's own words", async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const failing = bench.prepareRoot(anEvaluation({ setup: 'echo no registry >&2; exit 3' }))
    await expect(failing).rejects.toMatchObject({ code: 'evaluator-setup-failed' })
    await expect(failing).rejects.toThrow(/exit code 3[\s\S]*no registry/)
    const slow = bench.prepareRoot(anEvaluation({ setup: 'sleep 60', setupTimeoutSeconds: 1 }))
    await expect(slow).rejects.toThrow(/time/)
  })

  it('gives the set-up a clean environment, and what the config passes on', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const { template } = await bench.prepareRoot(anEvaluation({ setup: 'env > env.txt' }), { TOKEN: 'abc' })
    const names = readFileSync(join(template, 'env.txt'), 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names).toContain('TOKEN')
    const own = [
      'CI',
      'HOME',
      'LANG',
      'LORELEY_GROUP',
      'LORELEY_OWNER',
      'NO_COLOR',
      'PATH',
      'PWD',
      'TMPDIR',
      'TOKEN',
      'TZ',
    ]
    expect(
      names.filter((name) => name !== '' && !['_', 'OLDPWD', 'SHLVL'].includes(name ?? '')).sort(),
    ).toEqual(own)
  })

  it('undoes what the set-up did to tracked files', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const setup = 'echo rewritten > package-lock.json; rm src/a.js; mkdir src/a.js; echo p > src/a.js/product'
    const { template, trusted } = await bench.prepareRoot(anEvaluation({ setup }))
    for (const folder of [template, trusted]) {
      expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toBe('{}\n')
      expect(readFileSync(join(folder, 'src/a.js'), 'utf8')).toBe('a = 1\n')
    }
  })
})

describe('a workspace', () => {
  it('a workspace has its own copy of the products: nothing a candidate writes reaches the next', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const preparedRoot = await bench.prepareRoot(
      anEvaluation({ setup: 'mkdir dep && echo good > dep/index.js' }),
    )
    const first = await workspaceOf(bench, preparedRoot, '1')
    writeFiles(first.files, { 'dep/index.js': 'evil', 'dep/extra.js': 'evil', 'src/a.js': 'evil' })
    const second = await workspaceOf(bench, preparedRoot, '2')
    for (const folder of [second.files, preparedRoot.template, preparedRoot.trusted]) {
      expect(readFileSync(join(folder, 'dep/index.js'), 'utf8')).toBe('good\n')
      expect(readdirSync(join(folder, 'dep'))).toEqual(['index.js'])
      expect(readFileSync(join(folder, 'src/a.js'), 'utf8')).toBe('a = 1\n')
    }
    expect(statSync(join(first.files, 'dep/index.js')).ino).not.toBe(
      statSync(join(second.files, 'dep/index.js')).ino,
    )
  })

  it('a workspace starts empty where an earlier one was left behind, and is removed altogether', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const preparedRoot = await bench.prepareRoot()
    const folder = join(bench.place, 'work', '1')
    mkdirSync(join(folder, 'files'), { recursive: true })
    writeFileSync(join(folder, 'files', 'left-over'), 'x')
    const workspace = await workspaceOf(bench, preparedRoot, '1')
    expect(readdirSync(workspace.files).sort()).toEqual(['package-lock.json', 'src'])
    expect(readdirSync(workspace.home)).toEqual([])
    await workspace.remove()
    expect(existsSync(folder)).toBe(false)
  })

  it('keeps modes and links of the template', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const setup =
      'mkdir -p bin && echo x > bin/tool && chmod 755 bin/tool && ln -s tool bin/link && ln -s /nowhere bin/broken'
    const preparedRoot = await bench.prepareRoot(anEvaluation({ setup }))
    const { files } = await workspaceOf(bench, preparedRoot, '1')
    expect(statSync(join(files, 'bin/link')).mode & 0o111).toBe(0o111)
    expect(readdirSync(join(files, 'bin')).sort()).toEqual(['broken', 'link', 'tool'])
  })

  it('a workspace is copied by a process that the next start can find, should it outlive this one', async () => {
    const bench = await aWorkbench(aRepository(FILES))
    const preparedRoot = await bench.prepareRoot()
    const tools = aFolder()
    const log = join(tools, 'log')
    writeFiles(tools, { cp: `#!/bin/sh\necho "$LORELEY_OWNER" > ${log}\nexec /bin/cp "$@"\n` })
    chmodSync(join(tools, 'cp'), 0o755)
    const folder = join(bench.place, 'work', '1')
    const { template } = preparedRoot
    const options = {
      folder,
      template,
      maxDiskBytes: 1e9,
      changes: [],
      objects: bench.git.objects,
      path: `${tools}:${PATH}`,
      owner: 'me',
    }
    await createWorkspace(options)
    expect(readFileSync(log, 'utf8')).toBe('me\n')
  })
})
