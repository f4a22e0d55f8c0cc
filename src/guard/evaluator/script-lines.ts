import * as z from 'zod'

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()).catch({}).default({}) })

/** The named scripts of a package.json, with their pre and post scripts. */
export function findPackageScripts(manifest: string, words: readonly string[]): string[] {
  const scripts = parseScripts(manifest)
  const named = words.map((word) => (word === 't' ? 'test' : word))
  return named
    .flatMap((name) => [`pre${name}`, name, `post${name}`])
    .flatMap((name) => (Object.hasOwn(scripts, name) ? (scripts[name] ?? []) : []))
}

function parseScripts(text: string): Readonly<Record<string, string>> {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data?.scripts ?? {}
  } catch {
    // A broken manifest defines no script.
    return {}
  }
}

const RULE = /^([^\s#:=][^#:=]*):(?!=)([^#=\n]*)$/
const MAX_TARGETS = 100

/** The recipes of the named makefile targets (by default the first one) and of their prerequisites. */
export function findMakeRecipes(makefile: string, words: readonly string[]): string[] {
  const rules = readRules(makefile)
  const named = words.filter((word) => rules.has(word))
  const open =
    named.length > 0 ? named : [...rules.keys()].filter((name) => !name.startsWith('.')).slice(0, 1)
  const seen = new Set(open)
  const lines: string[] = []
  for (const target of seen) {
    const rule = rules.get(target)
    if (rule === undefined || seen.size > MAX_TARGETS) continue
    lines.push(...rule.lines)
    for (const need of rule.needs) seen.add(need)
  }
  return lines
}

function readRules(makefile: string): Map<string, { needs: string[]; lines: string[] }> {
  const rules = new Map<string, { needs: string[]; lines: string[] }>()
  let current: { needs: string[]; lines: string[] }[] = []
  for (const line of makefile.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    const [, targets, needs = ''] = RULE.exec(line) ?? []
    if (targets !== undefined) {
      const names = targets.trim().split(/\s+/)
      current = names.map((name) => rules.get(name) ?? { needs: [], lines: [] })
      for (const [index, rule] of current.entries()) {
        rule.needs.push(...needs.split(/\s+/).filter(Boolean))
        rules.set(names[index] ?? '', rule)
      }
    } else if (line.startsWith('\t')) {
      for (const rule of current) rule.lines.push(line.replace(/^\t[@+-]*/, ''))
    }
  }
  return rules
}
