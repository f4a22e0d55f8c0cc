// Runs in the candidate's process: calls pack(count) and hands the result over on file descriptor 3.
import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { pack } = await import(pathToFileURL(process.argv[2]).href)
writeSync(3, JSON.stringify(await pack(Number(process.argv[3]))))
process.exit(0)
