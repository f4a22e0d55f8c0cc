import type { Commands, Project } from './project.ts'

/** Bundler, and RSpec or Rake. */
export async function detectRuby(project: Project): Promise<Commands> {
  const hasBundler = project.has('Gemfile')
  const prefix = hasBundler ? 'bundle exec ' : ''
  const runner = project.some(/^spec\/.*_spec\.rb$/)
    ? 'rspec'
    : project.has('Rakefile')
      ? 'rake test'
      : undefined
  return {
    packageManager: hasBundler ? 'bundler' : undefined,
    // Install into the folder, so that each candidate's copy is complete.
    setup: hasBundler ? 'bundle config set --local path vendor/bundle && bundle install' : undefined,
    test: runner && `${prefix}${runner}`,
  }
}

/** Composer and PHPUnit. */
export async function detectPhp(project: Project): Promise<Commands> {
  const hasComposer = project.has('composer.json')
  const hasPhpUnit = project.findFirst(['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml']) !== undefined
  return {
    packageManager: hasComposer ? 'composer' : undefined,
    setup: hasComposer ? 'composer install --no-interaction' : undefined,
    test: hasPhpUnit ? (hasComposer ? 'vendor/bin/phpunit' : 'phpunit') : undefined,
  }
}

/** Bats, or a test script. */
export async function detectShell(project: Project): Promise<Commands> {
  const bats = project.files.find((path) => path.endsWith('.bats'))
  if (bats !== undefined)
    return { test: `bats ${bats.includes('/') ? bats.slice(0, bats.indexOf('/')) : '*.bats'}` }
  const script = project.findFirst(['test.sh', 'test/run.sh', 'tests/run.sh'])
  return { test: script && `sh ${script}` }
}
