// A program that svc starts as the browser. It records its arguments, the file that it was given, and who could read that file.
import fs from 'node:fs'
import path from 'node:path'
import {expect} from 'vitest'
import {type Home} from './svc.ts'

export interface BrowserLauncher {
  env: Record<string, string>
  // What stands in the process list, one argument a line.
  readArguments: () => string
  // The modes of the files and of their folders, such as "600 700".
  readModes: () => string[]
  // The addresses that the files lead to.
  listOpened: () => string[]
}

const readIfThere = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')

const unescape = (text: string) => text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')

export function createBrowserLauncher({folder, env}: Home, code = 0): BrowserLauncher {
  const programs = path.join(folder, 'programs')
  const [given, modes, pages] = ['given', 'modes', 'pages'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  fs.mkdirSync(programs)
  const script = `#!/bin/sh
printf '%s\\n' "$@" >> '${given}'
file="\${1#file://}"
[ -f "$file" ] && cat "$file" >> '${pages}' && echo $(stat -c %a "$file" "$(dirname "$file")") >> '${modes}'
exit ${code}
`
  fs.writeFileSync(path.join(programs, 'xdg-open'), script, {mode: 0o755})
  return {
    env: {PATH: `${programs}:${env['PATH']}`, DISPLAY: ':0'},
    readArguments: () => readIfThere(given),
    readModes: () => readIfThere(modes).split('\n').filter(Boolean),
    listOpened: () =>
      [...readIfThere(pages).matchAll(/http-equiv="refresh" content="0; url=([^"]+)"/g)].map(([, url = '']) =>
        unescape(url),
      ),
  }
}

export interface GivenPage {
  // What stands in the process list.
  argument: string
  // The address that the file leads to.
  link: string
}

interface SlowBrowser {
  env: Record<string, string>
  // The folder for temporary files, shared by all users as /tmp is.
  temporary: string
  readGiven: () => Promise<GivenPage>
  // Ends the program.
  end: () => void
}

// A browser that takes long to start: its argument stays in the process list, and nothing is opened yet.
export function createSlowBrowser({folder, env}: Home): SlowBrowser {
  const [programs, temporary, given] = ['programs', 'temporary', 'given'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  fs.mkdirSync(programs)
  fs.mkdirSync(temporary)
  fs.chmodSync(temporary, 0o1777)
  fs.chmodSync(folder, 0o755)
  const script = `#!/bin/sh
printf '%s' "$1" > '${given}.new' && mv '${given}.new' '${given}'
left=300
while [ $left -gt 0 ] && [ -e '${given}' ]; do sleep 0.1; left=$((left - 1)); done
`
  fs.writeFileSync(path.join(programs, 'xdg-open'), script, {mode: 0o755})
  return {
    env: {PATH: `${programs}:${env['PATH']}`, DISPLAY: ':0', TMPDIR: temporary},
    temporary,
    async readGiven() {
      await expect.poll(() => fs.existsSync(given)).toBe(true)
      const argument = fs.readFileSync(given, 'utf8')
      const text = argument.startsWith('file://') ? fs.readFileSync(argument.slice('file://'.length), 'utf8') : argument
      return {argument, link: unescape(/https?:\/\/[^\s"<>]+/.exec(text)?.[0] ?? '')}
    },
    end: () => fs.rmSync(given, {force: true}),
  }
}
