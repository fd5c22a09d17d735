// Completion in a real bash, which asks the built svc.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {shells} from '../../../src/cli/completion/scripts.ts'
import type {Home} from '../../support/svc.ts'
import {createShellHome, openShell} from './shells.ts'

const runFile = promisify(execFile)

function createHome(): Home {
  const home = createShellHome()
  fs.writeFileSync(path.join(home.folder, 'svc.bash'), shells.bash.script)
  return home
}

const completeScript = `source ./svc.bash; COMP_LINE="$1"; COMP_POINT=\${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_svc_complete svc; printf '%s\\n' "\${COMPREPLY[@]}"`

// The completions of bash for this line, whose last word is being typed. Bash starts a word behind = and colons too.
async function complete(line: string, home = createHome()): Promise<string[]> {
  const words = line.split(/ |(?<=[=:])|(?=[=:])/)
  const {stdout, stderr} = await runFile('bash', ['-c', completeScript, 'bash', line, ...words], {
    env: home.env,
    cwd: home.folder,
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((text) => text !== '')
}

describe('completion in bash', () => {
  it.each([
    ['svc cust', ['customers']],
    ['svc customers list --output=js', ['json', 'jsonl']],
    ['svc customers list --output=', ['table', 'json', 'jsonl', 'csv', 'yaml']],
    ['svc transactions list --sort status:d', ['desc']],
    ['svc customers list --limit ', []],
    ['svc api POST /customers --file my', ['my body.json']],
    ['svc api POST /customers --file=my', ['my body.json']],
  ])('completes "%s" to %j', async (line, values) => {
    expect(await complete(line)).toEqual(values)
  })

  it('completes profiles, and runs nothing that their names contain', async () => {
    const home = createHome()
    expect(await complete('svc doctor --profile ', home)).toEqual(['acme', 'acme-live', 'sandbox'])
    expect(fs.existsSync(path.join(home.folder, 'pwned'))).toBe(false)
  })

  it('completes in an interactive shell', async () => {
    const home = createHome()
    const startup = path.join(home.folder, 'bashrc')
    const lines = ['source ./svc.bash', 'tell() { echo "$READLINE_LINE" > "$LINE_FILE"; }', `bind -x '"\\C-t": tell'`]
    fs.writeFileSync(startup, [...lines, 'tell', ''].join('\n'))
    const {type, getScreen} = await openShell(home, 'bash', ['--noprofile', '--rcfile', startup, '-i'])
    expect(await type('svc profiles u\tac\t')).toBe('svc profiles use acme')
    expect(await type('svc customers list --output=y\t')).toBe('svc customers list --output=yaml ')
    expect(await type('svc transactions list --sort status:d\t')).toBe('svc transactions list --sort status:desc ')
    expect(await type('svc pay --file my\t')).toBe(String.raw`svc pay --file my\ body.json `)
    expect(getScreen()).not.toMatch(/error|not found/i)
  })
})
