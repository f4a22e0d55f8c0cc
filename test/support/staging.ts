import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { writeFilesTo } from '../../src/git/checkout.ts'
import { listFiles } from '../../src/git/listing.ts'
import { ObjectStore } from '../../src/git/objects/object-store.ts'
import { openRepository, type Repository } from '../../src/git/repository.ts'
import {
  createRootIndex,
  createStagingArea,
  excludeUntracked,
  type StagingArea,
  writeTreeOf,
} from '../../src/git/staging.ts'
import { aFolder, git, gitEnvironment } from './repository.ts'

/** A repository's HEAD, checked out into a folder that can be taken as a tree again. */
export interface StagedCheckout {
  readonly repository: Repository
  readonly objects: ObjectStore
  readonly area: StagingArea
  readonly rootTree: string
  readonly files: string
  /** The tree of the folder as it is now. */
  takeTree(): Promise<string>
  /** Mode and path of each file of the folder as it is now. */
  takeFiles(): Promise<string[]>
}

/** Checks out the HEAD of a repository. `setUp` stands for the campaign's set-up, run in the folder. */
export async function aStagedCheckout(
  source: string,
  setUp: (files: string) => void = () => undefined,
): Promise<StagedCheckout> {
  const repository = await openRepository(source, gitEnvironment)
  const objects = new ObjectStore(repository)
  onTestFinished(() => objects.close())
  const place = aFolder()
  const files = join(place, 'files')
  mkdirSync(files)
  const rootTree = git(source, 'rev-parse', 'HEAD^{tree}')
  const listed = await listFiles(repository, rootTree)
  const toWrite = listed.map(({ pathBytes, mode, blob }) => ({ pathBytes, version: { mode, blob } }))
  await writeFilesTo(files, toWrite, objects)
  setUp(files)
  const area = await createStagingArea(repository, join(place, 'git'))
  await createRootIndex(area, rootTree, files)
  await excludeUntracked(area, files)
  const takeTree = (): Promise<string> =>
    writeTreeOf(area, { files, indexFile: join(place, 'index'), withheld: [] })
  const takeFiles = async (): Promise<string[]> =>
    (await listFiles(repository, await takeTree())).map(({ mode, path }) => `${mode} ${path}`)
  return { repository, objects, area, rootTree, files, takeTree, takeFiles }
}
