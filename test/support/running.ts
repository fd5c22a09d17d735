// Starts the built svc and leaves it running, for tests that act while it waits.
import {spawn} from 'node:child_process'
import {onTestFinished} from 'vitest'
import {type RunResult, type Home, addSandbox, bin, json} from './svc.ts'

export interface StartedSvc {
  // Resolves when the text is in the output of either stream. Throws if svc ends without it.
  waitFor(text: string): Promise<void>
  // What it has written so far.
  outText(): string
  errText(): string
  // The first line of its output, which is JSON.
  readReady(): Promise<Record<string, string>>
  stop(signal: NodeJS.Signals): void
  ended: Promise<RunResult>
}

const pollMs = 20

// Until the test ends, or until what `whenDone` was given is called.
export function startSvc(
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  whenDone: (kill: () => void) => void = onTestFinished,
): StartedSvc {
  addSandbox(home, args, env)
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: home.folder,
    env: {...home.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  whenDone(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  let hasEnded = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<RunResult>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      hasEnded = true
      resolve({code, out, err})
    })
  })
  const waitFor = async (text: string) => {
    while (!out.includes(text) && !err.includes(text)) {
      if (hasEnded) throw new Error(`svc ended without "${text}": ${out}${err}`)
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
  return {
    ended,
    stop: (signal) => void child.kill(signal),
    outText: () => out,
    errText: () => err,
    async readReady() {
      await waitFor('}\n')
      return json(out.split('\n', 1)[0] ?? '') as Record<string, string>
    },
    waitFor,
  }
}
