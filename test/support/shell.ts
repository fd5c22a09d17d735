// Runs shell scripts in which `svc` and `jq` are installed.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {type RunResult, type Home, bin, root} from './svc.ts'

const commands = {svc: bin, jq: path.join(root, 'test/support/jq.ts')}

// Adds both to the PATH.
export function installCommands(home: Home): Home {
  const folder = path.join(home.folder, 'bin')
  fs.mkdirSync(folder)
  for (const [name, file] of Object.entries(commands)) {
    fs.writeFileSync(path.join(folder, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`, {mode: 0o755})
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
