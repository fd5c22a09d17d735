// Runs a command that prints a secret: a token, or the password of a database.
import {SvcError, noCredential} from '../errors.ts'

const commandTimeoutMs = 60_000
// Longer than any token. A command that prints more is stopped.
const commandOutputBytesMax = 64 * 1024

export const runByHand = 'Run it by hand to see why, then try again'

// Nothing was sent, so this is reported like a service that does not answer within --timeout.
export const createCommandTimeout = (label: string) =>
  new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `${label} did not end within --timeout`,
    hint: 'Run it by hand to see why, or allow more with --timeout',
  })

// `label` is how messages name the command. `limitMs` is what is left of --timeout. The command also has a limit of its own; the shorter one applies.
export function runSecretCommand(
  label: string,
  command: string,
  limitMs?: number,
  ownLimitMs = commandTimeoutMs,
): Promise<string> {
  const isShorter = limitMs !== undefined && limitMs < ownLimitMs
  const timeoutMs = isShorter ? Math.max(limitMs, 0) : ownLimitMs
  return new Promise((resolve, reject) => {
    const fail = (how: string, cause?: unknown) => reject(noCredential(`${label} ${how}`, runByHand, cause))
    const child = spawnCommand(command)
    if (child instanceof Error) return fail('could not be started', child)
    // A process that the shell started may live on and keep the pipe open, so the pipe is closed as well.
    const stop = () => {
      clearTimeout(limit)
      child.kill()
      child.stdout.destroy()
      child.unref()
    }
    const onLimit = () => {
      stop()
      if (isShorter) reject(createCommandTimeout(label))
      else fail(`did not end within ${timeoutMs / 1000} s`)
    }
    const limit = setTimeout(onLimit, timeoutMs)
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if ((size += chunk.length) <= commandOutputBytesMax) return
      stop()
      fail('printed more than a token')
    })
    child.on('error', (cause) => {
      clearTimeout(limit)
      fail('could not be started', cause)
    })
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      if (code === 0) return resolve(Buffer.concat(chunks).toString())
      fail(signal ? `was ended by ${signal}` : `ended with code ${code}`)
    })
  })
}

// Standard error goes to the terminal, since a command may print a message or ask for a code.
function spawnCommand(command: string) {
  const {spawn} = process.getBuiltinModule('node:child_process')
  try {
    return spawn(command, {shell: true, stdio: ['ignore', 'pipe', 'inherit']})
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}
