// The order of system calls of the built program: every armed payment is written to the journal and synced before its POST /transactions
// is sent.
import {spawn, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {createRows, writePayroll} from '../../support/payroll.ts'
import {expectsProgram} from '../../support/programs.ts'
import {payment} from '../../support/payments.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {type Home, bin, freshHome} from '../../support/svc.ts'

// A container may have strace and not let it trace.
const tried = spawnSync('strace', ['-e', 'trace=none', 'true'])
const canTrace = tried.error ? expectsProgram('strace') : tried.status === 0
if (!canTrace)
  process.stderr.write('SKIPPED, strace is missing or may not trace: the order of sync and send was NOT looked at\n')

const calls = 'trace=pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync'
const stringBytes = '20000'

// The index at which a sync of the log that started after `from` has ended, or -1.
function findSyncAfter(lines: readonly string[], from: number): number {
  const began = lines.findIndex((line, at) => at > from && /f(data)?sync\(\d+<[^>]*-wal>/.test(line))
  const line = lines[began] ?? ''
  if (!line.includes('<unfinished')) return line.endsWith('= 0') ? began : -1
  const [thread = ''] = line.split(' ', 1)
  return lines.findIndex(
    (one, at) => at > began && one.startsWith(`${thread} `) && /f(data)?sync resumed.*= 0$/.test(one),
  )
}

// The lines of a trace in the order of the calls, each with its file or socket.
async function traceSvc(home: Home, args: readonly string[], env: Record<string, string>): Promise<string[]> {
  const trace = path.join(home.folder, 'trace')
  const strace = ['-f', '-y', '-s', stringBytes, '-e', calls, '-o', trace, process.execPath, bin, ...args, '--quiet']
  const child = spawn('strace', strace, {cwd: home.folder, env: {...home.env, ...env}, stdio: 'ignore'})
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  return fs.readFileSync(trace, 'utf8').split('\n')
}

const isSent = (line: string) =>
  /(write|writev|sendto|sendmsg)\(\d+<(socket|TCP)/.test(line) && line.includes('POST /transactions')
const isArmed = (line: string) => line.includes('pwrite64') && line.includes('-wal>') && line.includes('ARMED')

it.skipIf(!canTrace).each<[name: string, payments: number, createArgs: (home: Home) => string[]]>([
  ['svc pay', 1, () => payment('traced', '10')],
  [
    'svc payouts run',
    3,
    (home) => ['payouts', 'run', writePayroll(home, createRows('traced', 3)), '--concurrency', '1'],
  ],
])('%s writes ARMED to the journal, syncs it, and only then sends the first byte', async (_, payments, createArgs) => {
  const [home, service] = [freshHome(), await servePayments()]
  const lines = await traceSvc(home, [...createArgs(home), '--yes'], service.env)
  const sent = lines.flatMap((line, at) => (isSent(line) ? [at] : []))
  expect(sent).toHaveLength(payments)
  for (const at of sent) {
    const armed = lines.slice(0, at).findLastIndex(isArmed)
    const synced = findSyncAfter(lines, armed)
    expect(armed).toBeGreaterThan(-1)
    expect(synced).toBeGreaterThan(armed)
    expect(synced).toBeLessThan(at)
  }
})
