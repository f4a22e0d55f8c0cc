#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { run } from 'probot'
import { serveApp } from '../../app/server/serve.ts'
import { PRODUCTION_SETTINGS } from '../../app/server/settings.ts'
import { readAppEnvironment } from '../../config/environment/app-environment.ts'
import { LoreleyError } from '../../errors.ts'
import { GITHUB_PACE } from '../../github/api/pace-settings.ts'

/** `npm start`: serves the app, or Probot's set-up page while no App is registered. */
async function main(): Promise<void> {
  // The set-up page writes this file. What is set already wins.
  if (existsSync('.env')) process.loadEnvFile('.env')
  const environment = readAppEnvironment()
  if (environment === undefined) {
    await run(() => undefined)
    return
  }
  const running = await serveApp({ ...environment, pace: GITHUB_PACE, settings: PRODUCTION_SETTINGS })
  const stop = (): void => void running.stop().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

main().catch((error: unknown) => {
  console.error(error instanceof LoreleyError ? `${error.message}\n${error.hint}` : error)
  process.exitCode = 1
})
