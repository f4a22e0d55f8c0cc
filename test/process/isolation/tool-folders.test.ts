import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findClosedFolders, findToolFolders } from '../../../src/process/isolation/tool-folders.ts'
import { aFolder } from '../../support/repository.ts'

it('names what the PATH needs of hidden folders, and nothing else', () => {
  const home = aFolder()
  const folders = [
    ...['.cargo/bin', '.nvm/versions/v24/bin', '.pyenv/shims', '.dotnet/tools', 'bin', '.ssh', 'none/lib'],
    ...['.local/bin', '.local/share/uv', '.local/share/keyrings', 'project/node_modules/.bin'],
  ]
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true })
  const onPath = ['.cargo/bin', '.nvm/versions/v24/bin', '.pyenv/shims', '.dotnet/tools', 'bin', '.local/bin']
  const path = [...onPath, 'project/node_modules/.bin', 'absent/bin'].map((name) => join(home, name))
  const found = findToolFolders(['/nowhere', home], ['/usr/bin', ...path, home].join(':'))
  expect(found).toEqual(
    [
      ...['.cargo', '.nvm/versions/v24', '.pyenv', '.dotnet/tools', 'bin', '.local/bin', '.local/share/uv'],
      'project/node_modules',
    ].map((name) => join(home, name)),
  )
})

it('finds them through links too, but never a hidden folder itself', () => {
  const [home, disk] = [aFolder(), aFolder()]
  for (const folder of ['tools/bin', 'repo']) mkdirSync(join(disk, folder), { recursive: true })
  symlinkSync(disk, join(home, 'work'))
  symlinkSync(join(disk, 'tools/bin'), join(home, 'programs'))
  const hidden = [home, join(home, 'work'), join(home, 'work/repo')]
  const find = (...path: string[]) => findToolFolders(hidden, path.join(':'))
  expect(find(join(home, 'programs'))).toEqual([join(home, 'programs')])
  expect(find(join(disk, 'tools/bin'))).toEqual([join(disk, 'tools')])
  expect(find(join(disk, 'repo'), join(home, 'work/repo'), '.', 'relative/bin')).toEqual([])
})

it('names the outermost folder above the programs that others may not enter', () => {
  const [open, closed] = [aFolder(), aFolder()]
  chmodSync(open, 0o755)
  chmodSync(closed, 0o700)
  for (const folder of [open, closed]) mkdirSync(join(folder, 'tools/bin'), { recursive: true })
  chmodSync(join(closed, 'tools'), 0o700)
  const path = [join(open, 'tools/bin'), join(closed, 'tools/bin'), '/absent/bin', 'relative/bin'].join(':')
  expect(findClosedFolders(path)).toEqual([closed])
})
