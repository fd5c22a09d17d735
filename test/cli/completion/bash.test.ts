// Completion in a real bash: commands, flags, and values, including those that change.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import pty from '@lydell/node-pty'
import {describe, expect, it} from 'vitest'
import {loadSurface} from '../../../scripts/surface.ts'
import {renderBashCompletion} from '../../../src/cli/completion/bash.ts'
import {writeSettingsFile} from '../../profiles/logins.ts'
import {type Home, bin, freshHome, run, temporaryFolder} from '../../support/svc.ts'

const runFile = promisify(execFile)

const profile = {baseUrl: 'https://api.example.com', environment: 'live', credential: {kind: 'API_KEY'}}

const {commands} = await (await loadSurface()).manifest()
const script = renderBashCompletion(Object.values(commands).filter(({hidden}) => !hidden))

// A home with svc on its PATH, profiles, and the completion that `svc autocomplete` writes.
function createHome(): Home & {completion: string} {
  const home = freshHome()
  const program = path.join(home.folder, 'svc')
  fs.writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`, {mode: 0o755})
  const completion = path.join(home.folder, 'svc.bash')
  fs.writeFileSync(completion, script)
  const profiles = {acme: profile, 'acme-live': profile, '$(touch pwned)': profile}
  writeSettingsFile(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), {schemaVersion: 1, profiles})
  return {...home, env: {...home.env, PATH: `${home.folder}:${process.env['PATH'] ?? ''}`}, completion}
}

const completeScript = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc_complete svc; printf '%s\\n' "\${COMPREPLY[@]}"`

// The completions of bash for these words, of which the last is being typed.
async function complete(line: string, home = createHome()): Promise<string[]> {
  const {stdout, stderr} = await runFile('bash', ['-c', completeScript, 'bash', home.completion, ...line.split(' ')], {
    env: home.env,
    cwd: home.folder,
  })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((text) => text !== '')
}

describe('completion in bash', () => {
  it('is what `svc autocomplete` writes', async () => {
    const home = freshHome()
    const {code} = await run(home, ['autocomplete', 'bash'], {env: {SVC_CACHE_DIR: home.folder}})
    expect(code).toBe(0)
    expect(fs.readFileSync(path.join(home.folder, 'autocomplete/functions/bash/svc.bash'), 'utf8')).toBe(script)
  })

  it.each([
    ['svc cust', ['customers']],
    ['svc profiles ', ['list', 'remove', 'set', 'show', 'use']],
    ['svc -p sandbox customers l', ['list']],
    ['svc sandbox clock to', ['to-next']],
    ['svc help e', ['exit-codes', 'environment']],
    ['svc customers list --pa', ['--page-size', '--page-token']],
    ['svc customers list --all --qu', ['--quiet']],
    ['svc customers get 7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11 --pay', ['--payment-methods']],
    ['svc --prof', ['--profile']],
    ['svc customers list --output js', ['json', 'jsonl']],
    ['svc customers list -o y', ['yaml']],
    ['svc customers list --output = js', ['json', 'jsonl']],
    ['svc sandbox fund x --currency US', ['USD', 'USDC', 'USDT']],
    ['svc sandbox accounts add --type SVC', ['SVC_AUTO_FIAT_ACCOUNT', 'SVC_CRYPTO_WALLET']],
    ['svc sandbox accounts add --method S', ['SEPA']],
    ['svc sandbox requests --method P', ['POST', 'PATCH', 'PUT']],
    ['svc codes DOC_', ['DOC_QUALITY_POOR']],
    ['svc customers list --limit ', []],
    ['svc weather ', []],
  ])('completes "%s" to %j', async (line, values) => {
    expect(await complete(line)).toEqual(values)
  })

  it.each([
    'svc customers list --profile ',
    'svc whoami -p ',
    'svc -p ',
    'svc doctor --profile =',
    'svc profiles use ',
  ])('completes "%s" to the current profiles, and runs nothing that their names contain', async (line) => {
    const home = createHome()
    expect(await complete(line, home)).toEqual(['acme', 'acme-live', 'sandbox'])
    expect(fs.existsSync(path.join(home.folder, 'pwned'))).toBe(false)
  })

  it('completes nothing and prints nothing if the settings are damaged', async () => {
    const home = createHome()
    writeSettingsFile(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json'), '{')
    expect(await complete('svc whoami -p a', home)).toEqual([])
  })

  it('completes ids that were shown before, of the profile that is named', async () => {
    const home = createHome()
    const ids = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'ids')
    fs.mkdirSync(ids, {recursive: true})
    const seen = {customers: ['4738020a-a06d', '7b0c9a52-3f64'], accounts: ['64fbd491-4b09'], rules: ['rule_5f2c']}
    fs.writeFileSync(path.join(ids, 'sandbox.json'), JSON.stringify(seen))
    expect(await complete('svc -p sandbox customers get 47', home)).toEqual(['4738020a-a06d'])
    expect(await complete('svc pay --profile sandbox --from 6', home)).toEqual(['64fbd491-4b09'])
    expect(await complete('svc -p acme customers get 47', home)).toEqual([])
    expect(await complete('svc sandbox verify 7', home)).toEqual(['7b0c9a52-3f64'])
  })

  it('completes file names, including those with a space, for a flag that takes a file', async () => {
    const home = createHome()
    fs.writeFileSync(path.join(home.folder, 'my body.json'), '{}')
    expect(await complete('svc api POST /customers --file my', home)).toEqual(['my body.json'])
  })

  it('completes in an interactive shell', async () => {
    const home = createHome()
    const shell = pty.spawn('bash', ['--norc', '--noprofile', '-i'], {
      cols: 80,
      rows: 20,
      cwd: home.folder,
      env: {...home.env, TERM: 'xterm', PS1: '> '},
    })
    let text = ''
    shell.onData((data) => (text += data.replaceAll('\u0007', '')))
    const sees = async (wanted: string) => {
      while (!text.includes(wanted)) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    shell.write(`source ${home.completion}; echo "re"ady\r`)
    await sees('ready')
    shell.write('svc profiles u\t')
    await sees('svc profiles use ')
    shell.write('ac\t')
    await sees('svc profiles use acme')
    shell.write('\u0015svc customers list --output=y\t')
    await sees('--output=yaml')
    const ended = new Promise((resolve) => shell.onExit(resolve))
    shell.write('\u0015exit\r')
    await ended
    expect(text).not.toMatch(/error|not found/i)
  })
})

describe('svc autocomplete values', () => {
  it('prints the names of the profiles, one per line', async () => {
    const {code, out} = await run(createHome(), ['autocomplete', 'values', 'profiles'])
    expect({code, out}).toEqual({code: 0, out: 'acme\nacme-live\nsandbox\n'})
  })

  it('rejects a name that has no values', async () => {
    expect(await run(freshHome(), ['autocomplete', 'values', 'weather'])).toMatchObject({code: 2, out: ''})
  })
})

describe('completion in zsh', () => {
  it('has the values as options of its flags, and calls svc for profiles', async () => {
    const folder = temporaryFolder()
    await run(freshHome(), ['autocomplete', 'create'], {env: {SVC_CACHE_DIR: folder}})
    const zsh = fs.readFileSync(path.join(folder, 'autocomplete/functions/zsh/_svc'), 'utf8')
    expect(zsh).toContain('--currency"[Currency, such as USDC or EUR]:currency options:(CAD EUR INR USD USDC USDT)"')
    expect(zsh).toContain(String.raw`:profile:{compadd -- \$(svc autocomplete values profiles 2>/dev/null)}"`)
    expect(zsh).toContain(String.raw`:customer:{compadd -- \$(svc autocomplete values customers 2>/dev/null)}"`)
    expect(zsh).not.toContain('@profiles')
  })
})
