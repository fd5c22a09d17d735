// The order of system calls in a run: every armed row is on disk before its POST /transactions is sent.
import {spawn, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {startServer} from '../../../src/sandbox/http/server.ts'
import {writePayroll, createRows} from '../../commands/payouts/payroll.ts'
import {bin, freshHome} from '../../support/svc.ts'

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0
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

describe('the order of writing and sending in a run', () => {
  it.skipIf(!canTrace)(
    'is: ARMED written to the log, the log synced, and only then the first byte, for every row',
    async () => {
      const home = freshHome()
      const server = await startServer({file: path.join(home.folder, 'sandbox.sqlite'), port: 0, notice: () => {}})
      const file = writePayroll(home, createRows('traced', 3))
      const trace = path.join(home.folder, 'trace')
      const svc = [process.execPath, bin, 'payouts', 'run', file, '--yes', '--concurrency', '1', '--quiet']
      const env = {...home.env, SVC_BASE_URL: server.url, SVC_API_KEY: server.apiKey}
      const child = spawn('strace', ['-f', '-y', '-s', stringBytes, '-e', calls, '-o', trace, ...svc], {
        cwd: home.folder,
        env,
        stdio: 'ignore',
      })
      const code = await new Promise((resolve) => child.on('close', resolve))
      await server.stop()
      expect(code).toBe(0)
      const lines = fs.readFileSync(trace, 'utf8').split('\n')
      const isSent = (line: string) => /(write|writev|sendto|sendmsg)\(\d+<(socket|TCP)/.test(line)
      const sent = lines.flatMap((line, at) => (isSent(line) && line.includes('POST /transactions') ? [at] : []))
      expect(sent).toHaveLength(3)
      for (const at of sent) {
        const armed = lines.findLastIndex(
          (line, before) =>
            before < at && line.includes('pwrite64') && line.includes('-wal>') && line.includes('ARMED'),
        )
        const synced = findSyncAfter(lines, armed)
        expect(armed).toBeGreaterThan(-1)
        expect(synced).toBeGreaterThan(armed)
        expect(synced).toBeLessThan(at)
      }
    },
  )
})
