// Homes in which svc is on PATH, and shells in a terminal that say what is on their command line.
import fs from 'node:fs'
import path from 'node:path'
import pty from '@lydell/node-pty'
import {onTestFinished} from 'vitest'
import {writeSettingsFile} from '../../profiles/logins.ts'
import {type Home, bin, freshHome} from '../../support/svc.ts'

const profile = {baseUrl: 'https://api.example.com', environment: 'live', credential: {kind: 'API_KEY'}}

// With profiles, of which one has a name that a shell would run.
export function createProfilesHome(): Home {
  const home = freshHome()
  const profiles = {acme: profile, 'acme-live': profile, '$(touch pwned)': profile}
  writeSettingsFile(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), {schemaVersion: 1, profiles})
  return home
}

// The same, with the built svc on its PATH.
export function createShellHome(): Home {
  const home = createProfilesHome()
  fs.writeFileSync(path.join(home.folder, 'svc'), `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, {mode: 0o755})
  fs.writeFileSync(path.join(home.folder, 'my body.json'), '{}')
  return {...home, env: {...home.env, PATH: `${home.folder}:${process.env['PATH'] ?? ''}`}}
}

const pollMs = 20

// Waits for a file that the shell writes whole, in one go.
async function readWhenThere(file: string): Promise<string> {
  for (;;) {
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    if (text.endsWith('\n')) return text
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

export interface TypedShell {
  // Types keys, and returns the command line that is there then. The line is cleared.
  type: (keys: string) => Promise<string>
  // Types keys, and waits for nothing.
  press: (keys: string) => void
  // All that was on the screen.
  getScreen: () => string
}

const clearLine = '\u0015'
// Bound in the startup file of the test to a function that writes the line to $LINE_FILE.
const tellLine = '\u0014'

// `start` are the lines of the startup file. The shell has to write the line to $LINE_FILE on Ctrl-T, and once at the start.
export async function openShell(home: Home, program: string, args: string[]): Promise<TypedShell> {
  const file = path.join(home.folder, 'line')
  const shell = pty.spawn(program, args, {
    cols: 100,
    rows: 40,
    cwd: home.folder,
    env: {...home.env, TERM: 'xterm', LINE_FILE: file, ZDOTDIR: home.folder, LC_ALL: 'C.UTF-8'},
  })
  let screen = ''
  shell.onData((data) => (screen += data))
  const ended = new Promise((resolve) => shell.onExit(resolve))
  onTestFinished(async () => {
    shell.kill('SIGKILL')
    await ended
  })
  await readWhenThere(file)
  return {
    getScreen: () => screen,
    press: (keys) => shell.write(keys),
    type: async (keys) => {
      fs.rmSync(file, {force: true})
      shell.write(`${keys}${tellLine}`)
      const line = await readWhenThere(file)
      shell.write(clearLine)
      return line.slice(0, -1)
    },
  }
}
