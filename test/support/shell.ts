// Runs shell scripts in which `svc` and `jq` are installed.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {Worker} from 'node:worker_threads'
import {type RunResult, type Home, bin} from './svc.ts'

let jqPort: Promise<number> | undefined

// One thread for all tests of this process.
function startJqServer(): Promise<number> {
  const thread = new Worker(new URL('jq-server.ts', import.meta.url))
  thread.unref()
  return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
}

// Sends its words and its input to that thread, because jq takes longer to load than most scripts to run.
const createJq = (port: number) => `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
printf '%s\\0' $# "$@" >&3
cat >&3
printf '\\0' >&3
read -r code <&3
if [ "$code" = 0 ]; then cat <&3; else cat <&3 >&2; fi
exit "$code"
`

// Adds both to the PATH.
export async function installCommands(home: Home): Promise<Home> {
  const folder = path.join(home.folder, 'bin')
  fs.mkdirSync(folder, {recursive: true})
  const commands = {
    svc: `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`,
    jq: createJq(await (jqPort ??= startJqServer())),
  }
  for (const [name, script] of Object.entries(commands)) {
    fs.writeFileSync(path.join(folder, name), script, {mode: 0o755})
  }
  return {...home, env: {...home.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`}}
}

export function runBash(home: Home, script: string): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], {env: home.env, cwd: home.folder}, (error, out, err) => {
      const code = error ? ((error as {code?: number}).code ?? null) : 0
      resolve({code, out, err})
    })
  })
}
