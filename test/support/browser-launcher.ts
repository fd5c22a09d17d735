// A program that svc starts as the browser. It records its arguments, the file that it was given, and who could read that file.
import fs from 'node:fs'
import path from 'node:path'
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
