#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { run } from 'probot'
import { reconcileOnce, serveApp } from '../../app/server/serve.ts'
import { PRODUCTION_SETTINGS } from '../../app/server/settings.ts'
import { readAppEnvironment, unset } from '../../config/environment/app-environment.ts'
import { LoreleyError } from '../../errors.ts'
import { GITHUB_PACE } from '../../github/api/pace-settings.ts'

const PRODUCTION = { pace: GITHUB_PACE, settings: PRODUCTION_SETTINGS }

/** `npm start`: serves the app, or Probot's set-up page until an App is registered. `--once` reconciles once and ends. */
async function main(args: readonly string[]): Promise<void> {
  const unknown = args.filter((arg) => arg !== '--once')
  if (unknown.length > 0)
    throw new LoreleyError('usage', `Unknown: ${unknown.join(' ')}.`, 'The only argument is --once.')
  // The set-up page writes this file. Variables that are already set win.
  if (existsSync('.env')) process.loadEnvFile('.env')
  if (args.includes('--once')) await step()
  else await serve()
}

async function serve(): Promise<void> {
  const environment = readAppEnvironment()
  if (environment === undefined) {
    await run(() => undefined)
    return
  }
  const running = await serveApp({ ...environment, ...PRODUCTION })
  const stop = (): void => void running.stop().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

async function step(): Promise<void> {
  const environment = readAppEnvironment()
  if (environment === undefined) throw unset('APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH)')
  const failures = await reconcileOnce({ ...environment, ...PRODUCTION })
  if (failures > 0) console.error(`${failures} repositories or installations failed. The log says why.`)
  // A connection that is kept open must not keep the process.
  process.exit(failures > 0 ? 1 : 0)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof LoreleyError ? `${error.message}\n${error.hint}` : error)
  process.exitCode = 1
})
