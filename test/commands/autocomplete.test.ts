// svc autocomplete: the scripts of the shells, and the lines that load them.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {detectShell, shellNames, shells} from '../../src/cli/completion/scripts.ts'
import {freshHome, run, spawnSvc} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

describe('svc autocomplete', () => {
  it.each(shellNames)('writes the script of %s, and prints the line for its startup file', async (shell) => {
    const home = freshHome()
    const cache = path.join(home.folder, "it's a cache")
    const {code, out, err} = await run(home, ['autocomplete', shell], {env: {SVC_CACHE_DIR: cache}})
    const file = path.join(cache, 'autocomplete', shells[shell].fileName)
    expect({code, out}).toEqual({code: 0, out: `${shells[shell].renderStartupLine(file)}\n`})
    // It runs the file only if it is the user's own.
    expect(out).toMatch(/test -O |\(Get-Item -LiteralPath \$svcFile\)\.User -eq \[Environment\]::UserName/)
    expect(err).toBe(
      `Add this line to ${shells[shell].startupFile}, such as with \`svc autocomplete ${shell} >> ${shells[shell].startupFile}\`, and open a new shell.\n`,
    )
    expect(fs.readFileSync(file, 'utf8')).toBe(shells[shell].script)
  })

  it.each(shellNames)('prints the script of %s and writes nothing with --print', async (shell) => {
    const home = freshHome()
    const cache = path.join(home.folder, 'cache')
    const result = await run(home, ['autocomplete', shell, '--print'], {env: {SVC_CACHE_DIR: cache}})
    expect(result).toEqual({code: 0, out: shells[shell].script, err: ''})
    expect(fs.existsSync(cache)).toBe(false)
  })

  it('finds out which shell is used', async () => {
    expect(detectShell({SHELL: '/usr/bin/fish'}, 'linux')).toBe('fish')
    expect(detectShell({}, 'win32')).toBe('powershell')
    expect(detectShell({SHELL: '/bin/tcsh'}, 'linux')).toBeUndefined()
    const {out} = await run(freshHome(), ['autocomplete', '--print'], {env: {SHELL: '/bin/zsh'}})
    expect(out).toBe(shells.zsh.script)
  })

  it('asks to name a shell that it does not know', async () => {
    const {code, out, err} = await run(freshHome(), ['autocomplete'], {env: {SHELL: '/bin/tcsh'}})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(
      'svc: It is not known which shell you use. Name it: bash, zsh, fish, powershell; nothing was written.\n',
    )
    expect(await run(freshHome(), ['autocomplete', 'tcsh'])).toMatchObject({code: 2, out: ''})
  })

  it('does the same in a terminal', async () => {
    const home = freshHome()
    const terminal = onTerminal(home, ['autocomplete', 'bash'], {env: {SVC_CACHE_DIR: path.join(home.folder, 'c')}})
    expect(await terminal.ended).toBe(0)
    expect(fs.existsSync(path.join(home.folder, 'c/autocomplete/svc.bash'))).toBe(true)
  })

  it('writes whole files while other processes write them too', async () => {
    const home = freshHome()
    const env = {SVC_CACHE_DIR: path.join(home.folder, 'cache')}
    const runs = Array.from({length: 4}, () => spawnSvc(home, ['autocomplete', 'bash'], {env}))
    for (const result of await Promise.all(runs)) expect(result).toMatchObject({code: 0})
    for (const {fileName, script} of Object.values(shells))
      expect(fs.readFileSync(path.join(env.SVC_CACHE_DIR, 'autocomplete', fileName), 'utf8')).toBe(script)
  })
})
