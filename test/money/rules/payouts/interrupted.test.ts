// svc payouts run ended early: by Ctrl-C, by SIGTERM, by a closed pipe and by a full disk. Kills are those of the soak (kills.test.ts).
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import type http from 'node:http'
import {describe, expect, it} from 'vitest'
import {getSandboxFile, waitForActedFaults} from '../../../support/acted-faults.ts'
import {type Home, bin, freshHome, json, run} from '../../../support/svc.ts'
import {startSvc} from '../../../support/running.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import {onPty} from '../../../support/terminal.ts'
import {
  addFault,
  inSandbox,
  listCreated,
  runPayouts,
  writePayroll,
  readStates,
  createRow,
  createRows,
} from '../../../support/payroll.ts'

const addDelay = (home: Home, delay: string) =>
  addFault(home, '--method', 'POST', '--path', '/transactions', '--kind', 'delay', '--delay', delay)

const clearFaults = (home: Home) => run(home, ['sandbox', 'faults', 'clear', '--quiet'])

// So many that a loaded machine ends a run long before the last one.
const manyRows = 60

const ctrlC = '\u0003'

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

  it('goes on when the reader of its output closes the pipe, and ends with 9 if a row is refused', async () => {
    const home = freshHome()
    await addDelay(home, '300ms')
    const rows = createRows('a', 12)
    const file = writePayroll(home, [...rows, createRow('too-much', {amount: '9000000'})])
    const args = [bin, 'payouts', 'run', file, ...inSandbox, '-o', 'jsonl', '--concurrency', '3']
    const child = spawn(process.execPath, args, {cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'ignore']})
    child.stdout.once('data', () => child.stdout.destroy())
    expect(await once(child, 'close')).toEqual([9, null])
    expect(readStates(home)).toEqual([...rows.map(() => 'CREATED'), 'REJECTED'])
    expect(await listCreated(home)).toHaveLength(rows.length)
  })

  // In blocks of 1024 bytes: enough for some rows but not for all.
  const blocksMax = 300

  it('stops with the right code if the journal cannot grow, and a rerun pays the rest, every row once', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 60))
    const limited = `trap '' XFSZ; ulimit -f ${blocksMax}; exec "$0" "$@"`
    const args = ['payouts', 'run', file, '--yes', '--concurrency', '4']
    const child = spawn('bash', ['-c', limited, process.execPath, bin, ...args], {
      cwd: home.folder,
      // Without further reads of the list, a row that cannot be recorded is one that was sent.
      env: {...home.env, ...service.env, SVC_RESEND: 'yes'},
      stdio: 'ignore',
    })
    const [status] = await once(child, 'close')
    const states = readStates(home)
    expect(states).toEqual(expect.arrayContaining(['NOT_TRIED', 'CREATED']))
    // The disk may be full before a row is armed, or later. Whatever may have been sent is unknown, and then the code says so.
    const isSentUnrecorded = service.transactions.length > states.filter((state) => state === 'CREATED').length
    if (isSentUnrecorded) expect(states).toContain('UNKNOWN')
    expect(status).toBe(states.includes('UNKNOWN') ? 7 : 9)
    expect((await run(home, ['payouts', 'run', file, '--yes', '--quiet'], {env: service.env})).code).toBe(0)
    expect(new Set(service.transactions.map(({correlationId}) => correlationId)).size).toBe(60)
    expect(service.transactions).toHaveLength(60)
  })
})
