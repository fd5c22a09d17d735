// Runs the check:* scripts of package.json at once, and says what those that failed have to say.
import {spawn} from 'node:child_process'
import os from 'node:os'
import {readPackage, root} from './surface.ts'

const scripts = Object.keys(readPackage()['scripts'] as object).filter((name) => name.startsWith('check:'))

function runScript(name: string): Promise<string> {
  const child = spawn(process.execPath, ['--run', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // The compiler and the linter are Go programs, which take less time if they collect their garbage less often.
      GOGC: '300',
      ...process.env,
      // Output that is collected first has lost its terminal, and its colours with it.
      ...(process.stdout.isTTY && {FORCE_COLOR: '1'}),
    },
  })
  // In the time that tests beside them leave.
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL)
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code === 0 ? '' : `\n${name} failed:\n${Buffer.concat(chunks).toString()}`))
  })
}

// Empty if nothing is wrong.
export const runChecks = async (): Promise<string> => (await Promise.all(scripts.map(runScript))).join('')

if (import.meta.main) {
  const failures = await runChecks()
  process.stderr.write(failures)
  process.exitCode = failures === '' ? 0 : 1
}
