import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createPathRule } from '../src/embedding/eligible.ts'
import { embedCandidate } from '../src/embedding/embed-candidate.ts'
import { createHashingEmbedder } from '../src/embedding/embedders/hashing.ts'
import { FileVectors } from '../src/embedding/file-vectors.ts'
import { embedTree } from '../src/embedding/repo-state.ts'
import { listFiles, type PathChange, type TreeFile } from '../src/git/listing.ts'
import { commitFolder } from '../src/git/new-repository.ts'
import { type OpenGit, openGit } from '../src/store/open-git.ts'
import { type Bench, type BenchOptions, type BenchReport, median, rounded, timeMs } from './bench.ts'
import { readRoot } from './sample-repository.ts'
import { generateRepository } from './space/repository.ts'

const CHANGED_FILES = 5
const ROUNDS = 9

/** What it costs to embed a whole repository, and a candidate that changes a few of its files. */
export const embedBench: Bench = {
  about: 'a repository of 10,000 files embedded whole, and a candidate with five changed files',
  run: runEmbed,
}

async function runEmbed(options: BenchOptions): Promise<BenchReport> {
  const count = options.quick ? 2000 : 10_000
  const folder = join(options.place, 'repository')
  await writeRepository(folder, count)
  await commitFolder(folder, 'generated files', options.gitEnvironment)
  options.log(`${count} files are written`)
  const git = await openGit(folder, options.gitEnvironment)
  try {
    const files = await listFiles(git.repository, (await readRoot(git)).tree)
    // Nothing is known beforehand, as on a runner: no cache of vectors.
    const coldMs = await timeMs(() => embedTree(files, createPathRule(), createVectors(git)))
    const childMs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const changes = await changeFiles(git, files, round)
      childMs.push(
        await timeMs(() => embedCandidate({ changes, vectors: createVectors(git), rule: createPathRule() })),
      )
    }
    return {
      headline: {
        cold_to_child: Math.round(coldMs / median(childMs)),
        peak_mb: Math.round(process.resourceUsage().maxRSS / 1024),
        files_per_s: Math.round((count / coldMs) * 1000),
      },
      details: { files: count, cold_s: rounded(coldMs / 1000), child_ms: rounded(median(childMs)) },
    }
  } finally {
    await git.close()
  }
}

function createVectors({ objects }: OpenGit): FileVectors {
  return new FileVectors(createHashingEmbedder(), (blob) => objects.get(blob, 'blob'))
}

async function writeRepository(folder: string, count: number): Promise<void> {
  for (const [path, text] of generateRepository(count, 1).files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

// Other files in each round, each with a statement more.
async function changeFiles(
  { objects }: OpenGit,
  files: readonly TreeFile[],
  round: number,
): Promise<PathChange[]> {
  const chosen = files.slice(round * CHANGED_FILES, (round + 1) * CHANGED_FILES)
  return await Promise.all(
    chosen.map(async ({ path, pathBytes, mode, blob }) => {
      const text = `${await objects.get(blob, 'blob')}\nexport const round = ${round}\n`
      const after = { mode, blob: await objects.write('blob', Buffer.from(text)) }
      return { path, pathBytes, before: { mode, blob }, after }
    }),
  )
}
