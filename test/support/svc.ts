// Runs the built svc as a user would: a process of its own, in folders of its own, with nothing of this machine in its way.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {onTestFinished} from 'vitest'

export const root = path.resolve(import.meta.dirname, '../..')
export const bin = path.join(root, 'bin/run.js')

// A folder that is gone when the test is over.
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  onTestFinished(() => fs.rmSync(folder, {recursive: true, force: true}))
  return folder
}

export interface Home {
  folder: string
  env: Record<string, string>
}

// A machine on which svc was never used.
export function freshHome(): Home {
  const folder = temporaryFolder()
  const env = {
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_CACHE_DIR: path.join(os.tmpdir(), 'svc-test-cache'),
  }
  return {folder, env}
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

interface RunOptions {
  env?: Record<string, string | undefined>
  input?: string
  cwd?: string
}

// Every run has its input closed unless some is given: a command that waits for it would hang, and the test would say so.
export function run(home: Home, args: readonly string[], {env, input, cwd}: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {cwd: cwd ?? home.folder, env: {...home.env, ...env}})
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({code, out, err}))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}

export const json = (text: string) => JSON.parse(text) as Record<string, unknown>
