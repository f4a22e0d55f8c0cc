import { getExecOutput } from '@actions/exec'
import { type GitCall, gitFailed, safeArguments } from '../../git/command.ts'

/** Runs git with command and output in the job's log: whoever reads it sees what the token was used for. */
export async function runLoggedGit({ args, environment, cwd }: GitCall): Promise<void> {
  const { exitCode, stderr } = await getExecOutput('git', safeArguments(args), {
    env: { ...environment },
    ...(cwd === undefined ? {} : { cwd }),
    ignoreReturnCode: true,
  })
  if (exitCode !== 0) throw gitFailed(args, stderr)
}
