// svc autocomplete: the scripts, set up as docs/ids.md says in a new home, in real shells at a
// terminal. Only the names of profiles come from svc, which is on PATH.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {stripVTControlCharacters} from 'node:util'
import pty from '@lydell/node-pty'
import {expect, it, onTestFinished} from 'vitest'
import {login, serveAnyKey} from '../features/profiles/logins.ts'
import {expectsProgram} from '../support/programs.ts'
import {type Home, bin, freshHome, root, run} from '../support/svc.ts'

// The only file where they are typed has a space in its name.
const fileCommands = ['payouts run', 'payouts status', 'approve', 'policy set', 'events verify']

// A profile acme is there.
const cases: ReadonlyArray<readonly [typed: string, line: string]> = [
  ['svc cust\tlis\t', 'svc customers list '],
  ['svc -p sandbox customers lis\t', 'svc -p sandbox customers list '],
  ['svc -p ac\t', 'svc -p acme '],
  ['svc customers list --profile ac\t', 'svc customers list --profile acme '],
  ['svc customers list -pac\t', 'svc customers list -pacme '],
  ['svc customers list --out\ty\t', 'svc customers list --output yaml '],
  ['svc customers list --output=y\t', 'svc customers list --output=yaml '],
  ['svc customers list -o y\t', 'svc customers list -o yaml '],
  ['svc customers list -oy\t', 'svc customers list -oyaml '],
  ['svc customers list --columns emai\t', 'svc customers list --columns email '],
  ['svc customers list --status UN\t', 'svc customers list --status UNDER_REVIEW '],
  ['svc accounts list --status PE\t', 'svc accounts list --status PENDING '],
  ['svc customers list --type BU\t', 'svc customers list --type BUSINESS '],
  ['svc transactions list --status AW\t', 'svc transactions list --status AWAITING_TRANSFER '],
  ['svc journal list --state ARM\t', 'svc journal list --state ARMED '],
  ['svc template cust\t--ty\t', 'svc template customer --type '],
  ['svc docs paying\t', 'svc docs paying-once '],
  ['svc profiles use ac\t', 'svc profiles use acme '],
  ['svc pay --file my\t', String.raw`svc pay --file my\ body.json `],
  ['svc pay -f my\t', String.raw`svc pay -f my\ body.json `],
  ['svc payouts run my\t', String.raw`svc payouts run my\ body.json `],
  ['svc --prof\tac\t', 'svc --profile acme '],
  ...fileCommands.map((name) => [`svc ${name} \t`, String.raw`svc ${name} my\ body.json `] as const),
]

// Where several words fit, they are listed.
const lists = [
  {typed: 'svc \t', listed: 'customers', unlisted: '--'},
  {typed: 'svc docs \t', listed: 'paying-once', unlisted: '--'},
  {typed: 'svc profiles use \t', listed: 'sandbox', unlisted: '--'},
  {typed: 'svc template \t', listed: 'payouts', unlisted: '--'},
  {typed: 'svc template --\t', listed: '--type', unlisted: 'payouts'},
]

interface Shell {
  // The file that it reads when it starts, and its arguments.
  startup: string
  args: (file: string) => string[]
  // Ctrl-T writes what was typed so far to a file, Ctrl-U removes it.
  commands: string[]
}

const shells: Record<string, Shell> = {
  bash: {
    startup: 'rc',
    args: (file) => ['--noprofile', '--rcfile', file, '-i'],
    commands: [
      // The package bash-completion does this.
      'source ~/.local/share/bash-completion/completions/svc',
      String.raw`tell() { printf '%s\n' "$READLINE_LINE" > "$LINE_FILE"; }`,
      String.raw`bind -x '"\C-t": tell'`,
      String.raw`bind '"\C-u": kill-whole-line'`,
      "bind 'set show-all-if-ambiguous on'",
    ],
  },
  zsh: {
    startup: '.zshrc',
    args: () => ['-d', '-i'],
    commands: [
      'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit',
      'tell() { print -r -- "$BUFFER" > $LINE_FILE }',
      'zle -N tell',
      "bindkey '^T' tell",
      "bindkey '^U' kill-whole-line",
    ],
  },
  fish: {
    startup: 'startup.fish',
    args: (file) => ['-i', '-C', `source ${file}`],
    commands: [
      'set -g fish_autosuggestion_enabled 0',
      String.raw`bind \ct 'commandline > $LINE_FILE'`,
      String.raw`bind \cu 'commandline ""'`,
    ],
  },
}

// What docs/ids.md says to type.
const setups = fs.readFileSync(path.join(root, 'docs/ids.md'), 'utf8').match(/(?<=^ {4}).* svc autocomplete .*/gm) ?? []

async function createHome(shell: string): Promise<Home> {
  const home = freshHome()
  const write = (name: string, text: string, mode = 0o644) =>
    fs.writeFileSync(path.join(home.folder, name), text, {mode})
  fs.mkdirSync(path.join(home.folder, 'work'))
  write('work/my body.json', '{}')
  fs.mkdirSync(path.join(home.folder, 'programs'))
  write('programs/svc', `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, 0o755)
  home.env['PATH'] = `${path.join(home.folder, 'programs')}:${home.env['PATH']}`
  const setup = setups.find((line) => line.includes(`svc autocomplete ${shell} `)) ?? ''
  const {err} = await run(home, ['autocomplete', shell])
  expect(err).toBe(`Put it where ${shell} finds it: \`${setup}\`\n`)
  execFileSync('/bin/sh', ['-c', setup], {cwd: home.folder, env: home.env, stdio: 'pipe'})
  expect(await login(home, 'acme', (await serveAnyKey()).url)).toMatchObject({code: 0})
  return home
}

// A shell that was asked what was typed until it answered: what is typed before its line editor
// runs is not edited.
async function openShell(name: string) {
  const {startup, args, commands} = shells[name] as Shell
  const home = await createHome(name)
  const inHome = (file: string) => path.join(home.folder, file)
  fs.writeFileSync(inHome(startup), [...commands, ''].join('\n'))
  const env = {
    ...home.env,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm',
    ZDOTDIR: home.folder,
    LINE_FILE: inHome('line'),
  }
  const terminal = pty.spawn(name, args(inHome(startup)), {cols: 100, rows: 40, cwd: inHome('work'), env})
  onTestFinished(() => terminal.kill('SIGKILL'))
  let shown = ''
  terminal.onData((text) => (shown += text))
  const readLine = () => (fs.existsSync(inHome('line')) ? fs.readFileSync(inHome('line'), 'utf8') : undefined)
  const ask = () => {
    terminal.write('\u0014')
    return readLine()
  }
  await expect.poll(ask, {interval: 200}).toBe('\n')
  return {
    async type(typed: string) {
      shown = ''
      fs.rmSync(inHome('line'), {force: true})
      terminal.write(`\u0015${typed}`)
      terminal.write('\u0014')
      await expect.poll(readLine).toMatch(/^svc .*\n$/)
      return readLine()?.slice(0, -1)
    },
    // What was shown since something was typed.
    readScreen: () => stripVTControlCharacters(shown),
  }
}

it('svc autocomplete names the shells that it knows', async () => {
  const {code, out, err} = await run(freshHome(), ['autocomplete', 'tcsh'])
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toContain('bash, zsh, fish')
})

it.each(Object.keys(shells).filter(expectsProgram))(
  'completion in %s completes commands, flags and values',
  async (name) => {
    const shell = await openShell(name)
    const found = []
    for (const [typed] of cases) found.push([typed, await shell.type(typed)])
    expect.soft(found).toEqual(cases)
    for (const {typed, listed, unlisted} of lists) {
      await shell.type(typed)
      await expect.poll(shell.readScreen).toContain(listed)
      expect.soft(shell.readScreen()).not.toContain(unlisted)
    }
  },
)
