// Runs in the candidate's process: calls pack() and hands the result over on file descriptor 3.
import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { pack } = await import(pathToFileURL(process.argv[2]).href)
writeSync(3, JSON.stringify(await pack()))
process.exit(0)
