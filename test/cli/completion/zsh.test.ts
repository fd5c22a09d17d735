// Completion in a real zsh, if it is installed. It asks the built svc.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {shells} from '../../../src/cli/completion/scripts.ts'
import {hasProgram} from '../../support/programs.ts'
import {createShellHome, openShell} from './shells.ts'

const tellLine = [
  'tell() { print -r -- "$BUFFER" > $LINE_FILE }',
  'zle -N tell',
  "bindkey '^T' tell",
  "bindkey '^U' kill-whole-line",
  'print -r -- ready > $LINE_FILE',
  '',
]

function openZsh(startup: string[]) {
  const home = createShellHome()
  fs.mkdirSync(path.join(home.folder, 'functions'))
  fs.writeFileSync(path.join(home.folder, 'functions', shells.zsh.fileName), shells.zsh.script)
  fs.writeFileSync(path.join(home.folder, '.zshrc'), [...startup, ...tellLine].join('\n'))
  return {home, shell: openShell(home, 'zsh', ['-d', '-i'])}
}

describe.skipIf(!hasProgram('zsh'))('completion in zsh (skipped where zsh is not installed)', () => {
  it('completes from a file that ~/.zshrc sources', async () => {
    const {home, shell} = openZsh([`source ./functions/_svc`])
    const {type, press, getScreen} = await shell
    expect(await type('svc cust\tli\t--output=y\t')).toBe('svc customers list --output=yaml ')
    expect(await type('svc profiles use acme-\t')).toBe('svc profiles use acme-live ')
    expect(await type('svc customers list --columns id,na\t')).toBe('svc customers list --columns id,name ')
    expect(await type('svc transactions list --sort status:d\t')).toBe('svc transactions list --sort status:desc ')
    expect(await type('svc pay --file my\t')).toBe(String.raw`svc pay --file my\ body.json `)
    expect(await type('svc pay --file=my\t')).toBe(String.raw`svc pay --file=my\ body.json `)
    expect(await type('svc weather x\t')).toBe('svc weather x')
    // zsh shows no list while there is more to read.
    press('svc profiles \t')
    await expect.poll(getScreen).toContain('List profiles')
    expect(await type('')).toBe('svc profiles ')
    expect(getScreen()).not.toMatch(/error|not found|no such/i)
    expect(fs.existsSync(path.join(home.folder, 'pwned'))).toBe(false)
  })

  it('completes from a folder of fpath', async () => {
    const {shell} = openZsh(['fpath=(./functions $fpath)', 'autoload -Uz compinit && compinit -u'])
    const {type} = await shell
    expect(await type('svc cust\t')).toBe('svc customers ')
    expect(await type('svc codes DOC_\t')).toBe('svc codes DOC_QUALITY_POOR ')
  })
})
