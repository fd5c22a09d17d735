// Runs the programs of OpenSSH that sign and verify. Keys on hardware and in agents work, since these programs know them.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'

export interface ProgramResult {
  code: number
  out: string
  err: string
}

// A person may have to find and touch a key.
const timeoutMs = 120_000
const outputBytesMax = 1024 * 1024

const missingProgram = (program: string, cause: unknown) =>
  badUsage(
    `The program ${program} is needed to sign and to check signatures, and it is not installed`,
    'Install OpenSSH (the package openssh-client)',
    cause,
  )

interface ProgramSettings {
  input?: string | undefined
  // Whether what the program says to a person is shown, such as to touch a key.
  isShown?: boolean | undefined
}

function runProgram(
  program: string,
  args: readonly string[],
  {input = '', isShown = false}: ProgramSettings,
): Promise<ProgramResult> {
  const {spawn} = process.getBuiltinModule('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: {...process.env, LC_ALL: 'C'},
      stdio: ['pipe', 'pipe', isShown ? 'inherit' : 'pipe'],
      timeout: timeoutMs,
    })
    const texts = {out: '', err: ''}
    const collect = (name: keyof typeof texts) => (chunk: Buffer) => {
      if (texts[name].length < outputBytesMax) texts[name] += chunk.toString()
    }
    child.stdout?.on('data', collect('out'))
    child.stderr?.on('data', collect('err'))
    child.on('error', (cause) => reject(getSystemCode(cause) === 'ENOENT' ? missingProgram(program, cause) : cause))
    child.on('close', (code) => resolve({code: code ?? 1, ...texts}))
    // A program that ends before it has read everything closes the pipe.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

export const runSshKeygen = (args: readonly string[], settings: ProgramSettings = {}) =>
  runProgram('ssh-keygen', args, settings)

// The public keys of the agent, one a line. Empty without an agent.
export async function listAgentKeys(): Promise<string[]> {
  if (!process.env['SSH_AUTH_SOCK']) return []
  try {
    const {code, out} = await runProgram('ssh-add', ['-L'], {})
    return code === 0 ? out.split('\n').filter((line) => line.trim() !== '') : []
  } catch {
    return []
  }
}

// Files that a program reads, in a folder that only this user can enter. It is removed afterwards.
export async function withPrivateFiles<T>(
  texts: Readonly<Record<string, string>>,
  work: (getPath: (name: string) => string) => Promise<T>,
): Promise<T> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-signature-'))
  const getPath = (name: string) => path.join(folder, name)
  try {
    for (const [name, text] of Object.entries(texts)) fs.writeFileSync(getPath(name), text, {mode: 0o600, flag: 'wx'})
    return await work(getPath)
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
