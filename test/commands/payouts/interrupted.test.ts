// svc payouts run ended early: by Ctrl-C, by kill -9, by a closed pipe, and together with another run of the same file.
import {spawn} from 'node:child_process'
import type http from 'node:http'
import {describe, expect, it} from 'vitest'
import {getSandboxFile, waitForActedFaults} from '../../support/acted-faults.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {startSvc} from '../../support/running.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {onPty} from '../../support/terminal.ts'
import {
  addFault,
  inSandbox,
  listCreated,
  runPayouts,
  writePayroll,
  readStates,
  createRow,
  createRows,
} from './payroll.ts'

const addDelay = (home: Home, delay: string) =>
  addFault(home, '--method', 'POST', '--path', '/transactions', '--kind', 'delay', '--delay', delay)

const clearFaults = (home: Home) => run(home, ['sandbox', 'faults', 'clear', '--quiet'])

// So many that a loaded machine ends a run long before the last one.
const manyRows = 60

const ctrlC = '\u0003'

// Ends the process with a signal once it has printed a number of rows.
function runUntil(home: Home, file: string, rows: number, end: (child: ReturnType<typeof spawn>) => void) {
  const args = [bin, 'payouts', 'run', file, ...inSandbox, '-o', 'jsonl', '--concurrency', '3']
  const child = spawn(process.execPath, args, {cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'pipe']})
  let out = ''
  let isEnded = false
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    if (isEnded || out.split('\n').length <= rows) return
    isEnded = true
    end(child)
  })
  return new Promise<{code: number | null; signal: string | null}>((resolve) =>
    child.on('close', (code, signal) => resolve({code, signal})),
  )
}

describe('svc payouts run, interrupted', () => {
  it('finishes the rows in progress at the first Ctrl-C, ends with 130, and continues when run again', async () => {
    const home = freshHome()
    await addDelay(home, '800ms')
    const file = writePayroll(home, createRows('a', manyRows))
    const screen = onPty(home, ['payouts', 'run', file, ...inSandbox, '--yes', '--concurrency', '3'])
    await screen.waitFor(new RegExp(` (?:[3-9]|[1-5]\\d) of ${manyRows}`))
    screen.type(ctrlC)
    await screen.waitFor('Finishing the rows in progress (3); press Ctrl-C again to stop at once.')
    expect(await screen.ended).toBe(130)
    expect(screen.words()).toContain('the run stopped because it was interrupted')
    const made = await listCreated(home)
    expect(readStates(home).filter((state) => state === 'CREATED')).toHaveLength(made.length)
    expect(readStates(home)).toContain('NOT_TRIED')
    expect(readStates(home)).not.toContain('UNKNOWN')
    await clearFaults(home)
    const again = await runPayouts(home, file)
    expect(again.code).toBe(0)
    expect(again.out).toContain(`${made.length} of them before this run`)
    expect(await listCreated(home)).toHaveLength(manyRows)
  })

  it('stops at once at the second, says how many rows were in progress, and a rerun settles them', async () => {
    const home = freshHome()
    await addDelay(home, '10m')
    const file = writePayroll(home, createRows('a', 6))
    // Only the second Ctrl-C can end it.
    const flags = ['--yes', '--concurrency', '2', '--request-timeout', '1h']
    const screen = onPty(home, ['payouts', 'run', file, ...inSandbox, ...flags])
    await screen.waitFor(/░{20} 0 of 6/)
    await waitForActedFaults(getSandboxFile(home), 2)
    screen.type(ctrlC)
    await screen.waitFor('Finishing the rows in progress (2)')
    screen.type(ctrlC)
    expect(await screen.ended).toBe(130)
    expect(screen.words()).toContain(
      'Stopped at once; the rows in progress (2) may or may not have been paid. Run the file',
    )
    const told = await run(home, ['payouts', 'status', file, '--rows', '--json', '-p', 'sandbox'])
    const rows = json(told.out)['payouts'] as Array<{state: string}>
    expect(rows.map(({state}) => state)).toEqual(['UNKNOWN', 'UNKNOWN', ...Array.from({length: 4}, () => 'NOT_TRIED')])
    await clearFaults(home)
    const {code, out} = await runPayouts(home, file, '--concurrency', '6')
    expect(code).toBe(0)
    expect(out).toMatch(/Made +6 rows/)
    expect(await listCreated(home)).toHaveLength(6)
  })

  it('says once, in the end, what is not known after SIGTERM', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const sent = Promise.withResolvers<http.ServerResponse>()
    service.intercept = ({method, path}, response) => {
      const isPayment = method === 'POST' && path === '/transactions'
      if (isPayment) sent.resolve(response)
      return isPayment
    }
    const file = writePayroll(home, createRows('a', 1))
    const started = startSvc(home, ['payouts', 'run', file, '--yes'], service.env)
    const response = await sent.promise
    started.stop('SIGTERM')
    await started.waitFor('Finishing the rows in progress')
    response.destroy()
    const {code, err} = await started.ended
    expect({code, states: readStates(home)}).toEqual({code: 143, states: ['UNKNOWN']})
    expect(err).toContain('Run it again to continue with the rows that are left; nothing is paid twice.')
    expect(err).not.toContain('Stopped while')
  })

  it('pays every row once if it is killed and run again', async () => {
    const home = freshHome()
    await addDelay(home, '300ms')
    await addFault(home, ...'--method POST --path /transactions --kind lose --after 2 --times 2'.split(' '))
    const file = writePayroll(home, createRows('a', manyRows))
    for (const rows of [2, 5]) {
      expect(await runUntil(home, file, rows, (child) => child.kill('SIGKILL'))).toMatchObject({signal: 'SIGKILL'})
    }
    await clearFaults(home)
    expect((await runPayouts(home, file)).code).toBe(0)
    const made = await listCreated(home)
    expect(made).toHaveLength(manyRows)
    expect(new Set(made.map(({correlationId}) => correlationId)).size).toBe(manyRows)
  })

  it.each([['9 if a row is refused', 9, [createRow('too-much', {amount: '9000000'})]]])(
    'goes on when the reader of its output closes the pipe, and ends with %s',
    async (_, code, refused) => {
      const home = freshHome()
      await addDelay(home, '300ms')
      const rows = createRows('a', 12)
      const file = writePayroll(home, [...rows, ...refused])
      expect(await runUntil(home, file, 1, (child) => child.stdout?.destroy())).toEqual({code, signal: null})
      expect(readStates(home)).toEqual([...rows.map(() => 'CREATED'), ...refused.map(() => 'REJECTED')])
      expect(await listCreated(home)).toHaveLength(rows.length)
    },
  )
})
