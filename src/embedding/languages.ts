/** How a language marks comments. */
export type CommentStyle = 'slash' | 'hash' | 'dash' | 'none'

const EXTENSIONS: Readonly<Record<CommentStyle, readonly string[]>> = {
  slash: [
    ...['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'vue', 'svelte', 'css', 'scss', 'less'],
    ...[
      'c',
      'cc',
      'cpp',
      'cxx',
      'h',
      'hh',
      'hpp',
      'hxx',
      'cs',
      'm',
      'mm',
      'cu',
      'go',
      'rs',
      'java',
      'kt',
      'kts',
    ],
    ...['swift', 'scala', 'dart', 'groovy', 'php', 'proto', 'sol', 'zig', 'v', 'sv', 'glsl', 'wgsl', 'fs'],
    ...['hlsl', 'metal', 'cl', 'd', 'pas', 'gradle'],
  ],
  hash: [
    ...[
      'py',
      'pyi',
      'pyx',
      'rb',
      'sh',
      'bash',
      'zsh',
      'fish',
      'pl',
      'pm',
      'r',
      'jl',
      'ex',
      'exs',
      'nim',
      'cr',
    ],
    ...['tcl', 'mk', 'cmake', 'tf', 'nix', 'toml', 'yml', 'yaml', 'graphql'],
    ...['ps1', 'psm1', 'bzl', 'bazel'],
  ],
  dash: ['sql', 'lua', 'hs', 'elm', 'adb', 'ads', 'vhd'],
  none: [
    ...['html', 'xml', 'json', 'ml', 'mli', 'fsx', 'clj', 'cljs', 'erl', 'lisp', 'el', 'scm', 'asm', 's'],
    ...['f', 'for', 'f90', 'f95', 'f03', 'f08'],
  ],
}

const NAMES: Readonly<Record<string, CommentStyle>> = {
  dockerfile: 'hash',
  makefile: 'hash',
  gnumakefile: 'hash',
  rakefile: 'hash',
  'cmakelists.txt': 'hash',
}

const STYLES = new Map<string, CommentStyle>([
  ...styled('slash'),
  ...styled('hash'),
  ...styled('dash'),
  ...styled('none'),
])

/** The comment style of a source file, by its name; undefined if it is not a source file. */
export function findCommentStyle(path: string): CommentStyle | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  return NAMES[name] ?? (dot < 0 ? undefined : STYLES.get(name.slice(dot + 1)))
}

function styled(style: CommentStyle): [string, CommentStyle][] {
  return EXTENSIONS[style].map((extension) => [extension, style])
}
