// svc autocomplete: the scripts, in real shells. They are static, so no svc has to be installed for them.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import pty from '@lydell/node-pty'
import {describe, expect, it, onTestFinished} from 'vitest'
import {hasProgram} from '../support/programs.ts'
import {type Home, freshHome, run} from '../support/svc.ts'

const runFile = promisify(execFile)

// A home with the script of a shell, and a file whose name has a space, which bash itself completes.
async function createHome(shell: string): Promise<Home> {
  const home = freshHome()
  const {code, out, err} = await run(home, ['autocomplete', shell])
  expect({code, err}).toEqual({
    code: 0,
    err: expect.stringMatching(`^Put it where ${shell} finds it: \`svc auto`) as string,
  })
  fs.writeFileSync(path.join(home.folder, 'script'), out)
  fs.writeFileSync(path.join(home.folder, 'my body.json'), '{}')
  return home
}

async function complete(shell: string, args: string[], home: Home): Promise<string> {
  const env = {...home.env, PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8'}
  const {stdout, stderr} = await runFile(shell, args, {env, cwd: home.folder})
  expect(stderr).toBe('')
  return stdout
}

it('svc autocomplete names the shells that it knows', async () => {
  const {code, out, err} = await run(freshHome(), ['autocomplete', 'tcsh'])
  expect({code, out}).toEqual({code: 2, out: ''})
  expect(err).toContain('bash, zsh, fish')
})

const cases: ReadonlyArray<readonly [line: string, answer: readonly string[]]> = [
  ['svc cust', ['customers']],
  ['svc customers lis', ['list']],
  ['svc -p sandbox customers lis', ['list']],
  ['svc customers list --output=js', ['json', 'jsonl']],
  ['svc customers list --out', ['--output']],
  ['svc customers list --columns emai', ['email']],
  ['svc customers list --limit ', []],
  ['svc template cust', ['customer']],
]

const ask = `source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf '%s\\n' "\${COMPREPLY[@]}"`

it('completion in bash completes commands, flags and values', async () => {
  const home = await createHome('bash')
  for (const [line, answer] of cases) {
    // Bash makes = a word of its own.
    const words = line.split(/ |(?<==)|(?==)/)
    const out = await complete('bash', ['-c', ask, 'bash', ...words], home)
    expect([line, out.split('\n').filter(Boolean)]).toEqual([line, answer])
  }
})

describe.skipIf(!hasProgram('fish'))('completion in fish (skipped where fish is not installed)', () => {
  it('completes the same, with descriptions', async () => {
    const asks = cases.map(([line]) => `complete --do-complete '${line}'; echo ==`)
    const out = await complete('fish', ['-N', '-c', ['source ./script', ...asks].join('\n')], await createHome('fish'))
    const answers = out.split('==\n').map((text) => text.split('\n').filter(Boolean))
    const names = answers.slice(0, -1).map((lines) => lines.map((line) => line.replace(/\t.*|^--output=/g, '')))
    expect(names).toEqual(cases.map(([, answer]) => answer))
    expect(answers[0]).toEqual(['customers\tCreate, verify and manage customers'])
  })
})

describe.skipIf(!hasProgram('zsh'))('completion in zsh (skipped where zsh is not installed)', () => {
  // zsh completes on a terminal alone: Ctrl-T writes the line to a file.
  it('completes what is typed', async () => {
    const home = await createHome('zsh')
    const file = path.join(home.folder, 'line')
    const startup = [
      'source ./script',
      'tell() { print -r -- "$BUFFER" > $LINE_FILE }',
      'zle -N tell',
      "bindkey '^T' tell",
      "bindkey '^U' kill-whole-line",
      'print -r -- ready > $LINE_FILE',
    ]
    fs.writeFileSync(path.join(home.folder, '.zshrc'), startup.join('\n'))
    const env = {...home.env, PATH: process.env['PATH'] ?? '', TERM: 'xterm', LINE_FILE: file, ZDOTDIR: home.folder}
    const shell = pty.spawn('zsh', ['-d', '-i'], {cols: 100, rows: 40, cwd: home.folder, env})
    onTestFinished(() => shell.kill('SIGKILL'))
    const readLine = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')
    await expect.poll(readLine).toBe('ready\n')
    for (const [typed, line] of [
      ['svc cust\tlis\t--output y\t', 'svc customers list --output yaml '],
      ['svc -p sandbox customers lis\t', 'svc -p sandbox customers list '],
      ['svc customers list --columns emai\t', 'svc customers list --columns email '],
      ['svc pay --file my\t', String.raw`svc pay --file my\ body.json `],
      ['svc payouts run my\t', String.raw`svc payouts run my\ body.json `],
    ] as const) {
      fs.rmSync(file, {force: true})
      shell.write(`${typed}\u0014`)
      await expect.poll(readLine).toBe(`${line}\n`)
      shell.write('\u0015')
    }
  })
})
