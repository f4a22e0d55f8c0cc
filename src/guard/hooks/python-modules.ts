import { isMeasuringPath } from '../evaluator/measuring-names.ts'

// The standard library: a module with such a name on the search path is imported instead.
const STANDARD = words(
  `abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs
  codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg cprofile csv
  ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum
  errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass
  gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools
  json keyword linecache locale logging lzma mailbox marshal math mimetypes mmap modulefinder multiprocessing
  netrc ntpath numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib
  posix posixpath pprint profile pstats pty pwd pyclbr pydoc pyexpat queue quopri random re readline reprlib
  resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket
  socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess
  symtable sys sysconfig syslog tabnanny tarfile tempfile termios textwrap threading time timeit token tokenize
  tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib uuid venv warnings wave weakref
  webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
  __future__ _collections_abc _compat_pickle _compression _markupbase _py_abc _pydecimal _pyio _pylong _strptime
  _threading_local _weakrefset`,
)
// Measuring tools and parts of pytest: imported before the first line of a test.
const MEASURING = words(
  `_pytest asv codspeed exceptiongroup execnet hypothesis iniconfig memory_profiler numpy packaging pandas pluggy psutil
  pygments pyperf pytest scipy tomli torch xdist yaml`,
)
// Common dependencies. Only at the top level: deeper, projects have modules with such names.
const DEPENDENCIES = words(
  `attr attrs certifi cffi charset_normalizer click colorama coverage cython dateutil django fastapi flask google grpc
  httpx idna jax jinja2 joblib jsonschema lxml markupsafe matplotlib msgpack mypy networkx numba orjson pil pkg_resources
  pip polars pyarrow pydantic pydantic_core pytz regex requests rich setuptools simplejson six skimage sklearn
  sortedcontainers sqlalchemy starlette sympy tensorflow toml tqdm typing_extensions ujson urllib3 wheel wrapt`,
)
// The interpreter imports these by itself when it starts.
const STARTERS = words('sitecustomize usercustomize')
// Folders that are often on the search path, besides the root.
const SEARCHED = words('src lib python')

/** True for a module that the interpreter imports when it starts. Paths are folded. */
export function isPythonStarter(path: string): boolean {
  return STARTERS.has(readModule(path)?.name ?? '')
}

/** The folders of Python scripts: `python bench/run.py` looks for modules in `bench` first. Folded. */
export function foldersOfScripts(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => readModule(path)?.folder ?? []))
}

/**
 * True for a module that would shadow an installed one. The installed ones are unknown here: the lists hold the usual ones,
 * and a top-level name that starts with `_` is part of one (`_ssl`, `_yaml`). Beside an evaluator's script the usual ones
 * count as top-level. In a measuring folder, where candidates should add only tests, every module counts.
 */
export function isPythonStandIn(path: string, scriptFolders: ReadonlySet<string>): boolean {
  const module = readModule(path)
  if (module === undefined) return false
  const { name, folder } = module
  if (STANDARD.has(name) || MEASURING.has(name) || name.startsWith('pytest_')) return true
  const isTop = folder === '' || SEARCHED.has(folder)
  if (isTop && name.startsWith('_') && name !== '__main__') return true
  const isBeside = scriptFolders.has(folder)
  if (isBeside && isMeasuringPath(folder) && !/^tests?_|_tests?$/.test(name)) return true
  return (isTop || isBeside) && DEPENDENCIES.has(name)
}

function readModule(path: string): { readonly name: string; readonly folder: string } | undefined {
  // Native modules are found before sources: `json.so`, `json.cpython-313-x86_64-linux-gnu.so`.
  const stem = path.replace(/(\.pyc?|(\.[\w-]+)?\.(so|pyd))$/, '')
  if (stem === path) return undefined
  const names = stem.split('/')
  if (names.at(-1) === '__init__') names.pop()
  const name = names.pop()
  return name === undefined ? undefined : { name, folder: names.join('/') }
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}
