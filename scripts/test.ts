// Runs the tests of the gate, or with --all also those of a release, and the checks beside them in the time that the tests leave. Other
// arguments go to vitest.
import {spawn, type StdioOptions} from 'node:child_process'
import os from 'node:os'
import {root} from './surface.ts'

function start(command: readonly string[], stdio: StdioOptions) {
  const child = spawn(process.execPath, command, {cwd: root, stdio})
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk))
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
  return {pid: child.pid, output, ended}
}

const checks = start(['scripts/check.ts'], ['ignore', 'pipe', 'pipe'])
if (checks.pid !== undefined) os.setPriority(checks.pid, os.constants.priority.PRIORITY_BELOW_NORMAL)
const given = process.argv.slice(2)
const others = given.filter((word) => word !== '--all')
const selection = given.includes('--all') ? [] : ['--exclude', 'test/release/**']
const tests = start(['node_modules/vitest/vitest.mjs', 'run', ...selection, ...others], 'inherit')

const codes = await Promise.all([tests.ended, checks.ended])
// At the end, where they are seen.
process.stderr.write(Buffer.concat(checks.output))
process.exitCode = codes.every((code) => code === 0) ? 0 : 1
