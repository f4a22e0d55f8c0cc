/** The style sheet: light or dark by system preference, one column on a phone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1f2328; --quiet: #59636e; --line: #d1d9e0; --soft: #f6f8fa; --link: #0969da;
  --good: #1a7f37; --bad: #cf222e; --merged: #8250df; --added: #dafbe1; --removed: #ffebe9; --hunk: #ddf4ff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --quiet: #9198a1; --line: #3d444d; --soft: #151b23; --link: #4493f8;
    --good: #3fb950; --bad: #f85149; --merged: #ab7df8; --added: #12361f; --removed: #43181b; --hunk: #121d2f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .6rem 1rem;
  background: var(--soft); border-bottom: 1px solid var(--line); }
.brand { color: var(--ink); font-weight: 600; }
.picker { margin-left: auto; display: flex; gap: .4rem; align-items: center; }
.repo { padding: .6rem 1rem 0; border-bottom: 1px solid var(--line); }
.repo .name { margin: 0 0 .4rem; font-size: 1.1rem; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; font-weight: 600; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0; padding: .5rem .75rem; background: var(--soft); overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-weight: normal; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.tabs a { color: var(--ink); padding: .3rem 0 .4rem; border-bottom: 2px solid transparent; }
.tabs a[aria-current] { border-color: var(--link); font-weight: 600; }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; margin: 1rem 0; }
.post > p:first-child { margin: 0 0 .5rem; }
.rows { list-style: none; margin: .5rem 0; padding: 0; border: 1px solid var(--line); border-radius: 6px; }
.rows:empty { display: none; }
.rows > li { padding: .5rem .75rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.rows > li:first-child { border-top: 0; }
.rows p { margin: .15rem 0 0; }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1em; padding: 0 .55em; font-size: .85em;
  color: var(--ink); white-space: nowrap; max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
.tag.good { color: var(--good); border-color: var(--good); }
.tag.bad { color: var(--bad); border-color: var(--bad); }
.tag.merged { color: var(--merged); border-color: var(--merged); }
.plus { color: var(--good); } .minus { color: var(--bad); }
.error { border-left: 3px solid var(--bad); padding-left: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
.scroll { overflow-x: auto; }
main > .scroll > table:not(.source), .files { width: 100%; }
td, th { text-align: left; padding: .35rem .75rem; border-top: 1px solid var(--line); vertical-align: top; }
.files { border: 1px solid var(--line); }
.source, pre, code, textarea { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.source { width: 100%; border: 1px solid var(--line); }
.source td { border: 0; padding: 0 .6rem; }
.source .code { white-space: pre; width: 100%; }
.number { color: var(--quiet); text-align: right; white-space: nowrap; }
.source .number { user-select: none; min-width: 3rem; }
.source .number a { color: inherit; }
tr:target { background: var(--hunk); }
.added { background: var(--added); } .removed { background: var(--removed); } .hunk { background: var(--hunk); color: var(--quiet); }
.diff { border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; overflow: hidden; }
.diff .source { border: 0; }
.diff > p { padding: 0 .75rem; }
pre { background: var(--soft); padding: .75rem; border-radius: 6px; overflow-x: auto; margin: .5rem 0; }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre code { padding: 0; }
.markdown { overflow-wrap: anywhere; }
.markdown img, img.shown { max-width: 100%; height: auto; }
.markdown table { display: block; overflow-x: auto; margin: .5rem 0; }
.markdown td, .markdown th { border: 1px solid var(--line); }
.markdown blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
.markdown li.task { list-style: none; margin-left: -1.3rem; }
.markdown > :first-child { margin-top: 0; } .markdown > :last-child { margin-bottom: 0; }
form.inline, form.tick { display: inline-block; margin: 0 .3rem .3rem 0; }
form.tick { margin: 0 .1rem 0 0; }
form.tick button { border: 0; background: none; padding: 0 .15rem; font-size: 1.1rem; line-height: 1; }
label { display: block; margin: .4rem 0; }
.picker label { margin: 0; }
input, textarea, select, button { font-size: .93rem; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; padding: .3rem .6rem; max-width: 100%; }
label > input:not([type="checkbox"]), label > textarea, form.card textarea { display: block; width: 100%; margin-top: .2rem; }
form.card > button, details form > button { margin-top: .5rem; }
button { cursor: pointer; background: var(--soft); }
button.primary { background: var(--good); border-color: var(--good); color: var(--paper); }
summary { cursor: pointer; }
.clone { margin-top: 1rem; }
.pager { display: flex; gap: 1rem; margin: 1rem 0; }
`
