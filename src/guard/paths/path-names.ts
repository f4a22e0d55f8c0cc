// The limit of a runner's proposal.
const MAX_PATH_CHARACTERS = 1024
const MAX_NAME_CHARACTERS = 255
const MAX_DEPTH = 100

/**
 * A name as the most forgiving file systems see it: case folded, canonically composed, without the characters that HFS+
 * ignores. Two names with the same fold may be one file somewhere.
 */
export function foldName(name: string): string {
  // Upper case first: it also unites ſ with s and ß with ss.
  return name
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
}

/** True for a path that some tool or file system would read differently, or not at all. */
export function isUnsafePath(path: string): boolean {
  if (path.length > MAX_PATH_CHARACTERS) return true
  const names = path.split('/')
  return names.length > MAX_DEPTH || names.some(isUnsafeName)
}

function isUnsafeName(name: string): boolean {
  return (
    // Empty names come from absolute paths and doubled slashes.
    name === '' ||
    name === '.' ||
    name === '..' ||
    name.length > MAX_NAME_CHARACTERS ||
    // Control, invisible and direction-changing characters, halves of surrogate pairs, and the sign that
    // stands for bytes which are not UTF-8.
    /[\\\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/u.test(name) ||
    // NTFS drops dots and spaces at the end: `eval.py.` is `eval.py`. A dash at the start is an option to whatever
    // command a shell hands the name to (`pytest *`).
    /^[ -]|[ .]$/.test(name) ||
    // After a colon NTFS has streams: `eval.py::$DATA` is `eval.py`. Device names are not files there at all.
    name.includes(':') ||
    DEVICE.test(name)
  )
}

const DEVICE = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(\.|$)/i

/** True for paths that no config can make editable, at any depth. */
export function isAlwaysProtected(path: string): boolean {
  return path.split(/[/\\]/).some((raw, index, names) => {
    const name = foldName(raw).trim()
    return (
      (index === names.length - 1 && REPOSITORY_FILE.test(name)) ||
      PROTECTED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
      INSTRUCTION_FILE.test(name) ||
      CI_FILE.test(name) ||
      SHORT_NAME_OF_GIT.test(name)
    )
  })
}

// `.git*`: hooks and config run code, attributes and modules change a checkout, and a workflow in `.github` could read our
// secrets. The others instruct agents, editors and hooks, or us.
const PROTECTED_PREFIXES =
  `.git .loreley .husky .lefthook .pre-commit .overcommit .lintstaged .claude .cursor .aider
  .codex .gemini .windsurf .clinerules .roo .continue .kiro .amazonq .junie .goose .opencode .qwen .trae .augment
  .agent .kilocode .openhands .tabnine .crush .copilot .factory .vscode .idea .devcontainer .zed`.split(/\s+/)
const INSTRUCTION_FILE =
  /^((agents?|agents\.override|claude|gemini|qwen|warp|jules|crush|skill|replit|copilot-instructions)(\.local)?\.md|\.mcp\.json|\.rules)[ .]*$/

// CI services run these with their secrets for every pushed branch; some configure hooks.
const CI_FILE =
  /^(\.(circleci|buildkite|semaphore|woodpecker|teamcity|drone|travis|cirrus|appveyor)(\..*)?|jenkinsfile.*|lefthook(-local)?\..*|(azure|bitbucket)-pipelines\..*|appveyor\.ya?ml|cloudbuild\.(ya?ml|json)|(vercel|netlify)\.(json|toml))[ .]*$/

// Who must approve, what bots merge or release, what an action of this repository runs. Files only: folders have such names.
const REPOSITORY_FILE =
  /^(codeowners|owners|owners_aliases|renovate\.json5?|\.renovaterc(\..*)?|\.?mergify\.ya?ml|\.kodiak\.toml|bors\.toml|\.(bulldozer|policy)\.yml|action\.ya?ml|\.?codecov\.ya?ml|\.coveralls\.yml|sonar-project\.properties|\.releaserc(\..*)?|(\.release-please-manifest|release-please-config)\.json)[ .]*$/

// NTFS gives long names a second, short one: GIT~1 for .git, GITMOD~1 and GI7EBA~1 for .gitmodules.
const SHORT_NAME_OF_GIT = /^gi(t[a-z]{0,3}|[0-9a-f]{4})~[0-9]/
