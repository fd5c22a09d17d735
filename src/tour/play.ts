// Plays the tour: real commands, run as children on a sandbox of their own, in a folder that is removed at the end.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {getCacheFolder} from '../storage/folders.ts'
import {createSandbox} from '../transport.ts'
import {type TourStep, closingWords, payer, tourFiles, tourSteps} from './steps.ts'

const pollMs = 25

export type ShownStep = TourStep<{says?: string; line: string; output: string}>

interface TourOptions {
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  hasColours: boolean
  print: (text: string) => Promise<void>
}

// Everything that could lead a command to the user's own profiles or data is left out.
const keptVariables = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'SystemRoot']

const buildEnvironment = (folder: string, hasColours: boolean): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
  HOME: folder,
  SVC_CONFIG_DIR: path.join(folder, 'config'),
  SVC_SANDBOX_FILE: path.join(folder, 'sandbox.sqlite'),
  // Compiled code is shared with the running svc, so that the commands start quickly.
  SVC_CACHE_DIR: getCacheFolder(),
  SVC_PROFILE: 'sandbox',
  ...(hasColours && {FORCE_COLOR: '1'}),
})

export async function playTour({command, hasColours, print}: TourOptions): Promise<ShownStep[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tour-'))
  // Whatever ends the tour. A command that still runs may write into the folder once more.
  const remove = () => fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50})
  process.once('exit', remove)
  for (const [name, text] of Object.entries(tourFiles)) fs.writeFileSync(path.join(folder, name), text)
  const env = buildEnvironment(folder, hasColours)
  // With a fixed seed and a fixed time, the tour is the same on every machine.
  const frozenAt = new Date('2026-11-16T09:00:00Z')
  const sandbox = await createSandbox({file: env['SVC_SANDBOX_FILE'] ?? '', seed: 'tour', frozenAt})
  const readBalances = () => JSON.stringify(sandbox.money.accounts(payer))

  // One that is to be killed is killed as soon as the service has made the payment. One that fails ends the tour.
  async function run(line: string, isKilled = false): Promise<string> {
    const words = [...line.matchAll(/'([^']*)'|([^\s\\']+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    // Both streams are one file, because two pipes would lose the order.
    const file = path.join(folder, 'output.txt')
    const output = fs.openSync(file, 'w')
    const before = readBalances()
    const [first, ...others] = command
    const child = spawn(first, [...others, ...words.slice(1)], {cwd: folder, env, stdio: ['ignore', output, output]})
    const ended = new Promise<number | string | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve(signal ?? code))
    })
    if (isKilled) {
      while (child.exitCode === null && readBalances() === before) await sleep(pollMs)
      child.kill('SIGKILL')
    }
    const ending = await ended
    fs.closeSync(output)
    const text = fs.readFileSync(file, 'utf8')
    if (isKilled) return `${text}Killed\n`
    if (ending === 0) return text
    throw new Error(`The tour stopped, because \`${line}\` ended with ${ending}: ${text}`)
  }

  try {
    const shown: ShownStep[] = []
    for (const [index, {title, says, commands}] of tourSteps.entries()) {
      await print(`${index + 1} of ${tourSteps.length} · ${title}\n${says}\n`)
      const outputs = []
      for (const {isKilled, ...given} of commands) {
        await print(`\n${given.says ? `${given.says}\n` : ''}$ ${given.line}\n`)
        const output = await run(given.line, isKilled)
        await print(output)
        outputs.push({...given, output})
      }
      await print('\n')
      shown.push({title, says, commands: outputs})
    }
    await print(closingWords)
    return shown
  } finally {
    sandbox.close()
    process.off('exit', remove)
    remove()
  }
}
