import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Markdown texts by their path from the repository's root. */
export type Pages = ReadonlyMap<string, string>

// Folders that hold no text of ours: installed packages, build output, git's own files.
const SKIPPED = new Set(['node_modules', 'dist', '.git'])

/** Every file of a folder, as POSIX paths relative to it. */
export function listFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (SKIPPED.has(entry.name)) return []
    return entry.isDirectory() ? listFiles(root, path) : [path]
  })
}

/** The Markdown files of a folder that people read there. Golden files are rendered for pages on GitHub. */
export function loadPages(root: string): Pages {
  const paths = listFiles(root).filter((path) => path.endsWith('.md') && !path.includes('/golden/'))
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** A page without its fenced code blocks. */
export function withoutFences(text: string): string {
  return text.replaceAll(/^ *(```+|~~~+).*\n[\s\S]*?^ *\1`*~* *$/gm, '')
}

/** A line for each relative link or image that leads to a missing file or heading. */
export function findBrokenLinks(pages: Pages, exists: (path: string) => boolean): string[] {
  return [...pages].flatMap(([path, text]) =>
    findTargets(text).flatMap((target) => {
      const problem = explainTarget(path, target, { pages, exists })
      return problem === undefined ? [] : [`${path}: ${target} ${problem}`]
    }),
  )
}

/** Where the relative links and images of a page lead. */
export function findTargets(text: string): string[] {
  const prose = withoutFences(text).replaceAll(/`[^`\n]*`/g, 'code')
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const definitions = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)]
  const images = [...prose.matchAll(/<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)="([^"]+)"/g)]
  return [...inline, ...definitions, ...images]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
}

interface Repository {
  readonly pages: Pages
  readonly exists: (path: string) => boolean
}

function explainTarget(from: string, target: string, { pages, exists }: Repository): string | undefined {
  const [file = '', anchor] = target.split('#')
  const path = file === '' ? from : posix.normalize(posix.join(posix.dirname(from), decodeURI(file)))
  if (!exists(path)) return 'leads to no file'
  if (anchor === undefined) return undefined
  return anchorsOf(pages.get(path) ?? '').has(anchor) ? undefined : 'leads to no heading'
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
    const slug = shown
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-')
    anchors.add(nextFree(slug, anchors))
  }
  return anchors
}

function nextFree(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  for (let count = 1; ; count += 1) if (!taken.has(`${slug}-${count}`)) return `${slug}-${count}`
}
