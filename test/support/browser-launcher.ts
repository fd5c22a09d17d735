// A program that svc starts as the browser. It keeps its arguments, the file that it was given, and who could read that file.
import fs from 'node:fs'
import path from 'node:path'
import {expect} from 'vitest'
import {type Home} from './svc.ts'

export interface GivenPage {
  // What stands in the process list.
  argument: string
  // The address that the file leads to.
  link: string
}

export interface BrowserLauncher {
  env: Record<string, string>
  // The folder for temporary files, shared by all users as /tmp is.
  temporary: string
  // What stands in the process list, one argument a line.
  readArguments: () => string
  // The modes of the files and of their folders, such as "600 700".
  readModes: () => string[]
  // The addresses that the files lead to.
  listOpened: () => string[]
  // Waits until it was started once.
  readGiven: () => Promise<GivenPage>
  // Lets a slow one go on.
  end: () => void
}

const readIfThere = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')

const unescape = (text: string) => text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')

// One that is slow takes long to start: its argument stays in the process list, and nothing is opened yet.
export function createBrowserLauncher({folder, env}: Home, {code = 0, isSlow = false} = {}): BrowserLauncher {
  const inFolder = (name: string) => path.join(folder, name)
  const [programs, temporary] = [inFolder('programs'), inFolder('temporary')]
  const [given, modes, pages, waiting] = [inFolder('given'), inFolder('modes'), inFolder('pages'), inFolder('waiting')]
  fs.mkdirSync(programs)
  fs.mkdirSync(temporary)
  fs.chmodSync(temporary, 0o1777)
  fs.chmodSync(folder, 0o755)
  if (isSlow) fs.writeFileSync(waiting, '')
  const script = `#!/bin/sh
file="\${1#file://}"
[ -f "$file" ] && cat "$file" >> '${pages}' && echo $(stat -c %a "$file" "$(dirname "$file")") >> '${modes}'
printf '%s\\n' "$@" > '${given}.new' && cat '${given}.new' >> '${given}'
left=300
while [ $left -gt 0 ] && [ -e '${waiting}' ]; do sleep 0.1; left=$((left - 1)); done
exit ${code}
`
  fs.writeFileSync(path.join(programs, 'xdg-open'), script, {mode: 0o755})
  const listOpened = () =>
    [...readIfThere(pages).matchAll(/http-equiv="refresh" content="0; url=([^"]+)"/g)].map(([, url = '']) =>
      unescape(url),
    )
  return {
    env: {PATH: `${programs}:${env['PATH']}`, DISPLAY: ':0', TMPDIR: temporary},
    temporary,
    readArguments: () => readIfThere(given),
    readModes: () => readIfThere(modes).split('\n').filter(Boolean),
    listOpened,
    async readGiven() {
      await expect.poll(() => readIfThere(given)).not.toBe('')
      const argument = readIfThere(given).trim()
      return {argument, link: listOpened()[0] ?? argument}
    },
    end: () => fs.rmSync(waiting, {force: true}),
  }
}
