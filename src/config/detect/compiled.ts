import type { Commands, Project } from './project.ts'

/** Go modules. */
export async function detectGo(project: Project): Promise<Commands> {
  return {
    packageManager: project.has('go.mod') ? 'go' : undefined,
    setup: project.has('go.sum') ? 'go mod download' : undefined,
    test: project.some(/_test\.go$/) ? 'go test ./...' : undefined,
  }
}

/** Cargo. */
export async function detectRust(project: Project): Promise<Commands> {
  if (!project.has('Cargo.toml')) return {}
  const locked = project.has('Cargo.lock') ? ' --locked' : ''
  return { packageManager: 'cargo', setup: `cargo fetch${locked}`, test: `cargo test --quiet${locked}` }
}

/** Maven or Gradle, through the project's own wrapper if it has one. */
export async function detectJvm(project: Project): Promise<Commands> {
  const hasTests = project.some(/(^|\/)src\/test\//)
  if (project.has('pom.xml')) {
    const maven = `${project.has('mvnw') ? './mvnw' : 'mvn'} -B -q`
    const test = hasTests ? `${maven} -o test` : undefined
    return { packageManager: 'maven', setup: `${maven} dependency:go-offline`, test }
  }
  if (project.findFirst(['build.gradle', 'build.gradle.kts']) !== undefined) {
    // A daemon would outlive the evaluation that started it.
    const gradle = `${project.has('gradlew') ? './gradlew' : 'gradle'} --no-daemon -q`
    const test = hasTests ? `${gradle} test` : undefined
    return { packageManager: 'gradle', setup: `${gradle} dependencies`, test }
  }
  return {}
}

/** CMake or make. Candidates change the sources, so building is a gate. */
export async function detectC(project: Project): Promise<Commands> {
  if (project.has('CMakeLists.txt')) {
    const build = 'cmake -S . -B build && cmake --build build'
    const hasTests = /\b(enable_testing|include\s*\(\s*CTest)/.test(await project.read('CMakeLists.txt'))
    const test = hasTests ? `${build} && ctest --test-dir build --output-on-failure` : build
    return { packageManager: 'cmake', test }
  }
  const makefile = project.findFirst(['GNUmakefile', 'makefile', 'Makefile'])
  if (makefile === undefined) return {}
  const text = await project.read(makefile)
  const hasTarget = (name: string) => new RegExp(`^${name}\\s*:`, 'm').test(text)
  const target = ['test', 'check'].find(hasTarget)
  const bench = ['bench', 'benchmark'].find(hasTarget)
  return {
    packageManager: 'make',
    test: target === undefined ? 'make' : `make ${target}`,
    benchmark: bench && `make -s ${bench}`,
  }
}

/** The .NET command line. */
export async function detectDotnet(project: Project): Promise<Commands> {
  if (!project.some(/\.(csproj|slnx?)$/)) return {}
  const hasTests = project.some(/tests?[^/]*\.csproj$/i)
  return { packageManager: 'dotnet', setup: 'dotnet restore', test: hasTests ? 'dotnet test' : undefined }
}
