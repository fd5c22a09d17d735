// Gives one notification to the notify command, on its standard input, and ends a command that takes too long.
import type {ChildProcess, SpawnOptions} from 'node:child_process'

export const commandTimeoutMs = 10_000

// The command is a program of the user's and needs no credential of svc.
const secretVariables = new Set(['SVC_API_KEY', 'SVC_ACCESS_TOKEN', 'PGPASSWORD'])

const omitSecrets = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariables.has(name)))

// A group of its own, so that what the shell has started ends with it.
function endGroup({pid}: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

// Returns why it failed, in words that end a sentence. Standard output is for svc's data, so that of the command is dropped.
export function runNotifyCommand(
  command: string,
  body: string,
  timeoutMs = commandTimeoutMs,
): Promise<string | undefined> {
  const {spawn} = process.getBuiltinModule('node:child_process')
  const options = {
    shell: true,
    detached: process.platform !== 'win32',
    env: omitSecrets(process.env),
    stdio: ['pipe', 'ignore', 'inherit'],
  } satisfies SpawnOptions
  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      child = spawn(command, options)
    } catch {
      return resolve('could not be started')
    }
    const stop = () => endGroup(child)
    process.once('exit', stop)
    const finish = (failure?: string) => {
      clearTimeout(limit)
      process.off('exit', stop)
      resolve(failure)
    }
    const limit = setTimeout(() => {
      stop()
      finish(`did not end within ${timeoutMs / 1000} s`)
    }, timeoutMs)
    child.on('error', () => finish('could not be started'))
    child.on('exit', (code, signal) => {
      if (code === 0) finish()
      else finish(signal ? `was ended by ${signal}` : `ended with code ${code}`)
    })
    // A command that does not read its input decides by its exit code whether it was told.
    child.stdin?.on('error', () => {})
    child.stdin?.end(`${body}\n`)
  })
}
