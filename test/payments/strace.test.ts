// The order of system calls: the armed payment is written to the journal and synced before POST /transactions is sent.
import {spawn, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {ChildOrder} from './child.ts'
import {bundleProgram} from '../support/bundled-program.ts'
import {serveStage} from './served-stage.ts'

const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0
if (!canTrace)
  process.stderr.write('SKIPPED, strace is missing or may not trace: the order of sync and send was NOT looked at\n')

const calls = 'trace=pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync'
const stringBytes = '20000'

// The lines of a trace in the order of the calls, each with its file or socket.
async function traceChild(program: string, order: ChildOrder, trace: string): Promise<string[]> {
  const given = ['-f', '-y', '-s', stringBytes, '-e', calls, '-o', trace]
  const child = spawn('strace', [...given, process.execPath, program, JSON.stringify(order)], {stdio: 'ignore'})
  await new Promise((resolve) => child.on('close', resolve))
  return fs.readFileSync(trace, 'utf8').split('\n')
}

describe('the order of writing and sending', () => {
  it.skipIf(!canTrace)('is: ARMED written to the journal, synced to disk, and only then the first byte', async () => {
    const {stage, ...served} = await serveStage()
    const order: ChildOrder = {
      ...served,
      key: 'traced',
      limits: {},
      waitMs: 5_000,
      requestTimeoutMs: 20_000,
    }
    const lines = await traceChild(
      await bundleProgram(new URL('child.ts', import.meta.url)),
      order,
      path.join(stage.folder, 'trace'),
    )
    const isJournal = (line: string) => line.includes(`${order.journalFile}-wal>`)
    const isSent = (line: string) => /(write|writev|sendto|sendmsg)\(\d+<(socket|TCP)/.test(line)
    const sent = lines.findIndex((line) => isSent(line) && line.includes('POST /transactions'))
    const before = lines.slice(0, sent)
    const armed = before.findLastIndex((line) => line.includes('pwrite64') && isJournal(line) && line.includes('ARMED'))
    const synced = before.findIndex((line, at) => at > armed && /f(data)?sync\(.*= 0$/.test(line) && isJournal(line))
    expect(stage.made('traced')).toHaveLength(1)
    stage.close()
    expect(armed).toBeGreaterThan(-1)
    expect(synced).toBeGreaterThan(armed)
    expect(sent).toBeGreaterThan(synced)
  })
})
