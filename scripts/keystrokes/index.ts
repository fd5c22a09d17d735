// Counts the prompts and keystrokes of four tasks on a pseudo-terminal: `node scripts/keystrokes/index.ts [FOLDER…]`.
// Each folder holds a built svc, by default this one, so that two versions can be compared.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type Task, tasks, writeDocuments} from './tasks.ts'
import {type Count, measure} from './typist.ts'

async function runTask(program: string, {args, answers, prepare}: Task): Promise<Count> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-keystrokes-'))
  const env = {HOME: folder, PATH: process.env['PATH'] ?? '', SVC_CONFIG_DIR: path.join(folder, 'config')}
  const run = (given: readonly string[], input = '') =>
    execFileSync(process.execPath, [program, ...given], {cwd: folder, env, input, encoding: 'utf8'})
  try {
    writeDocuments(folder)
    const more = prepare?.(run) ?? []
    const terminal = {cwd: folder, env: {...env, TERM: 'xterm-256color'}}
    return await measure(program, [...args, ...more, '-p', 'sandbox'], answers, terminal)
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const folders = process.argv.length > 2 ? process.argv.slice(2) : [path.resolve(import.meta.dirname, '../..')]
const only = process.env['TASK']

for (const folder of folders) {
  print(`\n${folder}\n`)
  print('| task | prompts | keystrokes | of these, the answers | beyond the answers |')
  print('|---|---|---|---|---|')
  for (const task of tasks.filter(({name}) => only === undefined || name.includes(only))) {
    const {prompts, keys, answers} = await runTask(path.join(folder, 'bin/run.js'), task)
    print(`| ${task.name} | ${prompts} | ${keys} | ${answers} | ${keys - answers} |`)
  }
}
