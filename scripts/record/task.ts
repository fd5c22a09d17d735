// Runs the commands that a task page shows, in a sandbox of its own, and draws the terminal in which they ran.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as pty from '@lydell/node-pty'
import {parseMarkdown} from '../../src/cli/docs/markdown.ts'
import type {DocsPage} from '../../src/cli/docs/pages.ts'
import {foldCode} from '../../src/cli/docs/render-terminal.ts'
import {createSandbox} from '../../src/transport.ts'
import {root} from '../surface.ts'
import {columnsMax, renderLines, renderPicture, renderTitle} from './picture.ts'
import {type Line, toLines} from './styled-lines.ts'

const startsAt = new Date('2026-11-16T09:00:00Z')
const runLimitMs = 60_000
const rowsMax = 36

// What is run and not shown.
const setUp = 'svc profiles use sandbox --quiet'

interface Story {
  // Run first, and not shown.
  before?: string
  commands: readonly string[]
}

const payer = 'zoe.angstrom@example.org'

// Pages whose commands have no output beside them. Every command has to be named on its page.
const stories: Readonly<Record<string, Story>> = {
  'tasks/let-others-approve': {
    before: [
      `for name in alice bob; do ssh-keygen -q -t ed25519 -N '' -f $name.key; echo "$name@example.com $(cut -d' ' -f1,2 $name.key.pub)" >> allowed_signers; done`,
      `printf '%s\\n' key,customer,from,from-currency,to,amount pay-11-zoe,${payer},64fbd491,USDC,e6086267,1500.00 > payroll.csv`,
    ].join('\n'),
    commands: [
      'svc profiles set sandbox --approvals 2 --signers allowed_signers --above "1000 USDC" --quiet',
      'svc payouts run payroll.csv; echo "exit code $?"',
      'svc approve payroll.csv --show; echo "exit code $?"',
    ],
  },
  'tasks/pay-somebody-new': {
    commands: [
      `svc accounts open --customer ${payer} --no-open --jq .bankAccountFormLink --quiet`,
      `svc sandbox accounts add --customer ${payer} --type EXTERNAL_BANK_ACCOUNT --method SEPA --holder 'Papier Vogel GmbH' --columns id,status --quiet`,
      `svc accounts list --customer ${payer} --columns where,status,currency --quiet | grep -E 'WHERE|Papier|PENDING'`,
    ],
  },
}

const readCommands = (text: string) =>
  parseMarkdown(text).flatMap((block) =>
    block.kind === 'code' && block.language === 'console'
      ? block.lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
      : [],
  )

// Without its flags and arguments.
const commandName = /^svc(?: sandbox)?(?: [a-z][a-z-]*){1,2}(?=[ ;]|$)/

function readStory({topic, text}: DocsPage): Story {
  const story = stories[topic] ?? {commands: readCommands(text)}
  const unnamed = story.commands.filter((command) => !text.includes(commandName.exec(command)?.[0] ?? ''))
  if (story.commands.length === 0) throw new Error(`docs/${topic}.md shows no command that could be recorded`)
  if (unnamed.length > 0) throw new Error(`docs/${topic}.md does not name ${unnamed.join(', ')}`)
  return story
}

// The folder in which the commands of a page run: with svc and jq, a sandbox, and the files that the page shows.
async function prepareFolder(folder: string, {text}: DocsPage): Promise<Record<string, string>> {
  const toFile = (name: string) => `"${path.join(root, name)}"`
  // Both clocks, that of svc and that of the sandbox, begin at the same time on every day.
  const programs = {
    svc: `--import ${toFile('scripts/shift-clock.mjs')} ${toFile('bin/run.js')}`,
    jq: toFile('scripts/record/jq.ts'),
  }
  const sandboxFile = path.join(folder, 'sandbox.sqlite')
  fs.mkdirSync(path.join(folder, 'bin'))
  for (const [name, words] of Object.entries(programs)) {
    const script = `#!/bin/sh\nexec "${process.execPath}" ${words} "$@"\n`
    fs.writeFileSync(path.join(folder, 'bin', name), script, {mode: 0o755})
  }
  for (const [, name = '', content = ''] of text.matchAll(/```yaml file=(\S+)\n([\s\S]*?)```/g))
    fs.writeFileSync(path.join(folder, name), content)
  const sandbox = await createSandbox({file: sandboxFile, seed: 'tasks', frozenAt: startsAt})
  sandbox.close()
  return {
    PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TERM: 'xterm-256color',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    FORCE_COLOR: '1',
    SHIFT_CLOCK_MS: String(startsAt.getTime() - Date.now()),
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_SANDBOX_FILE: sandboxFile,
    ...(process.env['SVC_CACHE_DIR'] !== undefined && {SVC_CACHE_DIR: process.env['SVC_CACHE_DIR']}),
  }
}

// A line of progress is erased before the next text.
// oxlint-disable-next-line no-control-regex -- The escape character is what it looks for.
const erased = /[^\n]*\r\u001B\[K/g

// Nobody is there to be asked, so the standard input is empty.
function runCommand(command: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const shell = pty.spawn('bash', ['-c', `exec < /dev/null\n${command}`], {cols: columnsMax, rows: rowsMax, cwd, env})
    const limit = setTimeout(() => {
      shell.kill()
      reject(new Error(`This command does not end: ${command}`))
    }, runLimitMs)
    shell.onData((data) => (output += data))
    shell.onExit(() => {
      clearTimeout(limit)
      resolve(output.replaceAll('\r\n', '\n').replaceAll(erased, '').trimEnd())
    })
  })
}

// A terminal breaks what it cannot show on one line. Commands of svc are continued on the next line instead, as in `svc docs`.
function toCommandLines(command: string): Line[] {
  const folded = foldCode([`$ ${command}`], columnsMax)
  const [indent = ''] = /^ */.exec(folded[0] ?? '') ?? []
  return folded
    .flatMap((line) => line.slice(indent.length).match(new RegExp(`.{1,${columnsMax}}`, 'gu')) ?? [])
    .map((text) => [{text, style: 'bold'}])
}

export async function recordTask(page: DocsPage): Promise<string> {
  const {before, commands} = readStory(page)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-record-'))
  try {
    const env = await prepareFolder(folder, page)
    for (const command of [setUp, ...(before === undefined ? [] : [before])]) await runCommand(command, folder, env)
    const lines: Line[] = []
    for (const command of commands) {
      if (command === setUp) continue
      const output = await runCommand(command, folder, env)
      const printed = output === '' ? [] : [...toLines(output, columnsMax), []]
      lines.push(...toCommandLines(command), ...printed)
    }
    if (lines.at(-1)?.length === 0) lines.pop()
    if (lines.length > rowsMax) throw new Error(`The picture of docs/${page.topic}.md has ${lines.length} lines`)
    const body = [renderTitle(page.title), renderLines(lines, 0)]
    const names = new Set(commands.flatMap((command) => commandName.exec(command)?.[0] ?? []))
    return renderPicture({
      title: page.title,
      description: `A recording of a terminal: ${[...names].join(', ')}.`,
      rows: lines.length,
      body,
    })
  } finally {
    fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50})
  }
}
