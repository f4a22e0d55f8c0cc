import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitEnvironment, runGit } from '../../git/command.ts'
import { openRepository } from '../../git/repository.ts'
import { BareRepository } from './bare-repository.ts'

const SETTINGS: Readonly<Record<string, string>> = {
  'http.receivepack': 'true',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'true',
  'receive.denyDeleteCurrent': 'ignore',
  // These refs are managed by pull requests. Nobody may push to them.
  'receive.hideRefs': 'refs/pull',
  // Unreferenced objects stay readable, as they do on GitHub for a long time.
  'gc.auto': '0',
  'core.logAllRefUpdates': 'false',
}

/** The bare repositories of a sandbox. Folders are named by id, so a rename moves nothing. */
export class BareRepositories {
  readonly hooksFolder: string
  readonly #folder: string
  readonly #environment: GitEnvironment
  readonly #open = new Map<number, Promise<BareRepository>>()

  constructor(folder: string, environment: GitEnvironment) {
    this.#folder = join(folder, 'repositories')
    this.hooksFolder = join(folder, 'hooks')
    this.#environment = environment
  }

  async create(id: number, defaultBranch: string): Promise<void> {
    const folder = this.#pathOf(id)
    await mkdir(folder, { recursive: true })
    const environment = this.#environment
    await runGit({
      args: ['init', '--quiet', '--bare', `--initial-branch=${defaultBranch}`, folder],
      environment,
    })
    // Writing one file is faster than a git process per setting.
    const sections = Object.entries(SETTINGS).map(([key, value]) => {
      const [section, name] = key.split('.')
      return `[${section}]\n\t${name} = ${value}\n`
    })
    await writeFile(
      join(folder, 'config'),
      `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${sections.join('')}`,
    )
  }

  async get(id: number): Promise<BareRepository> {
    const open = this.#open.get(id) ?? this.#openRepository(id)
    this.#open.set(id, open)
    return await open
  }

  async remove(id: number): Promise<void> {
    const open = this.#open.get(id)
    this.#open.delete(id)
    await (await open)?.close()
    if (existsSync(this.#pathOf(id))) await rm(this.#pathOf(id), { recursive: true, force: true })
  }

  /** Points HEAD at the default branch, for clones. */
  async setHead(id: number, branch: string): Promise<void> {
    await writeFile(join(this.#pathOf(id), 'HEAD'), `ref: refs/heads/${branch}\n`)
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(open.map(async (repository) => (await repository).close()))
  }

  #pathOf(id: number): string {
    return join(this.#folder, `${id}.git`)
  }

  async #openRepository(id: number): Promise<BareRepository> {
    return new BareRepository(await openRepository(this.#pathOf(id), this.#environment))
  }
}
