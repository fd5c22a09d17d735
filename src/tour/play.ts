// Plays the tour: real commands, run as children on a sandbox of their own, in a folder that is removed at the end.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {getCacheFolder} from '../storage/folders.ts'
import {createSandbox} from '../transport.ts'
import {payer, tourFiles, tourSteps} from './steps.ts'

const pollMs = 25

// Everything that could lead a command to the user's own profiles or data is left out.
const keptVariables = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'SystemRoot']

const buildEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
  HOME: folder,
  SVC_CONFIG_DIR: path.join(folder, 'config'),
  SVC_SANDBOX_FILE: path.join(folder, 'sandbox.sqlite'),
  // Compiled code is shared with the running svc, so that the commands start quickly.
  SVC_CACHE_DIR: getCacheFolder(),
  SVC_PROFILE: 'sandbox',
  ...(process.stdout.isTTY && {FORCE_COLOR: '1'}),
})

// The program comes with the first arguments that start svc.
export async function playTour(
  [program, ...first]: readonly [string, ...string[]],
  print: (text: string) => Promise<void>,
): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tour-'))
  let child: ChildProcess | undefined
  // Whatever ends the tour. A command that still runs would write into the folder once more.
  const remove = () => {
    child?.kill('SIGKILL')
    fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50})
  }
  process.once('exit', remove)
  for (const [name, text] of Object.entries(tourFiles)) fs.writeFileSync(path.join(folder, name), text)
  const env = buildEnvironment(folder)
  // With a fixed seed and a fixed time, the tour is the same on every machine.
  const fixed = {seed: 'tour', frozenAt: new Date('2026-11-16T09:00:00Z')}
  const sandbox = await createSandbox({file: env['SVC_SANDBOX_FILE'] ?? '', ...fixed})
  const readBalances = () => JSON.stringify(sandbox.money.accounts(payer))

  // One that is to be killed is killed as soon as the service has made the payment. One that fails ends the tour.
  async function run(line: string, isKilled = false): Promise<string> {
    const words = [...line.matchAll(/'([^']*)'|([^\s\\']+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    // Both streams are one file, because two pipes would lose the order.
    const file = path.join(folder, 'output.txt')
    const output = fs.openSync(file, 'w')
    const before = readBalances()
    child = spawn(program, [...first, ...words.slice(1)], {cwd: folder, env, stdio: ['ignore', output, output]})
    const ended = once(child, 'close')
    if (isKilled) {
      while (child.exitCode === null && readBalances() === before) await sleep(pollMs)
      child.kill('SIGKILL')
    }
    const [code] = (await ended) as [number | null]
    fs.closeSync(output)
    const text = fs.readFileSync(file, 'utf8')
    if (isKilled) return `${text}Killed\n`
    if (code === 0) return text
    throw new Error(`The tour stopped, because \`${line}\` ended with ${code}: ${text}`)
  }

  try {
    for (const [index, {title, says, commands}] of tourSteps.entries()) {
      await print(`${index + 1} of ${tourSteps.length} · ${title}\n${says}\n`)
      for (const {line, says: remark, isKilled} of commands) {
        await print(`\n${remark ? `${remark}\n` : ''}$ ${line}\n`)
        await print(await run(line, isKilled))
      }
      await print('\n')
    }
    await print(
      'That was svc, on a sandbox of its own that is now removed.\nNext: svc customers list -p sandbox, svc help.\n',
    )
  } finally {
    sandbox.close()
    remove()
  }
}
