// Runs the check:* scripts of package.json at once, and prints what those that failed have to say.
import {spawn} from 'node:child_process'
import {readPackage, root} from './surface.ts'

const scripts = Object.keys(readPackage()['scripts'] as object).filter((name) => name.startsWith('check:'))

function runScript(name: string): Promise<boolean> {
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
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(`\n${name} failed:\n${Buffer.concat(chunks).toString()}`)
      resolve(code === 0)
    })
  })
}

const results = await Promise.all(scripts.map(runScript))
process.exitCode = results.every(Boolean) ? 0 : 1
