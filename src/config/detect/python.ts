import { findBenchmarkFile } from './benchmark.ts'
import type { Commands, Project } from './project.ts'

// Dependencies go into .venv. The project itself is never installed: an installed copy points at the folder of the
// set-up, and every candidate would be measured with the root's code.
const LOCKED = [
  { lock: 'uv.lock', name: 'uv', setup: 'uv sync --frozen --no-install-project' },
  {
    lock: 'poetry.lock',
    name: 'poetry',
    setup: 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --no-root',
  },
  { lock: 'pdm.lock', name: 'pdm', setup: 'pdm sync --no-self' },
  { lock: 'Pipfile.lock', name: 'pipenv', setup: 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev' },
] as const

const PLACES_THAT_NAME_PYTEST = [
  'pyproject.toml',
  'requirements.txt',
  'requirements-dev.txt',
  'dev-requirements.txt',
  'setup.cfg',
  'tox.ini',
  'Pipfile',
] as const

/** uv, poetry, pdm, pipenv or pip, and pytest or unittest. */
export async function detectPython(project: Project): Promise<Commands> {
  const install = detectInstall(project)
  const path = project.some(/^src\/[^/]+\/__init__\.py$/) ? 'PYTHONPATH=src ' : ''
  const python = `${path}${install.setup === undefined ? 'python3' : '.venv/bin/python'}`
  const hasTests = project.some(/(^|\/)(test_[^/]*|[^/]*_test)\.py$/)
  const runner = (await usesPytest(project)) ? 'pytest -q' : 'unittest discover'
  return {
    ...install,
    test: hasTests ? `${python} -m ${runner}` : undefined,
    benchmark: findBenchmarkFile(project, { py: python }),
  }
}

function detectInstall(project: Project): Commands {
  const locked = LOCKED.find(({ lock }) => project.has(lock))
  if (locked !== undefined) return { packageManager: locked.name, setup: locked.setup }
  const lists = ['requirements.txt', 'requirements-dev.txt', 'dev-requirements.txt'].filter(project.has)
  if (lists.length === 0) return {}
  const options = lists.map((list) => `-r ${list}`).join(' ')
  return { packageManager: 'pip', setup: `python3 -m venv .venv && .venv/bin/pip install ${options}` }
}

async function usesPytest(project: Project): Promise<boolean> {
  if (project.some(/(^|\/)(pytest\.ini|conftest\.py)$/)) return true
  const texts = await Promise.all(PLACES_THAT_NAME_PYTEST.map(project.read))
  return texts.some((text) => text.includes('pytest'))
}
