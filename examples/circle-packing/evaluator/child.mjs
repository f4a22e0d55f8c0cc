// Runs in the candidate's process: calls pack(count) and writes the result to stdout.
import { writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

// What the candidate prints is no part of its answer.
process.stdout.write = process.stderr.write.bind(process.stderr)
const { pack } = await import(pathToFileURL(process.argv[2]).href)
writeSync(1, JSON.stringify(await pack(Number(process.argv[3]))))
process.exit(0)
