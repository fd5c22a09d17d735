// The notice when svc is stopped during a write: that the write may have happened, and how to check.
import {describe, expect, it} from 'vitest'
import {startSvc} from '../support/running.ts'
import {reply, serve} from '../support/service.ts'
import {freshHome, json} from '../support/svc.ts'

const newCustomer = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']

// Stops svc once a request that is never answered has arrived: a write, or any.
async function stopDuring(args: readonly string[], signal: NodeJS.Signals, isAwaited: (method: string) => boolean) {
  const service = await serve(({method}, response) => {
    if (!isAwaited(method)) reply(response, 200, {customers: []})
  })
  const running = startSvc(freshHome(), args, service.env)
  await expect.poll(() => service.requests.some(({method}) => isAwaited(method))).toBe(true)
  running.stop(signal)
  return running.ended
}

describe('svc, stopped during a write', () => {
  it('says that it may have happened, and how to check', async () => {
    const {code, out, err} = await stopDuring(newCustomer, 'SIGINT', (method) => method !== 'GET')
    expect({code, out}).toEqual({code: 130, out: ''})
    expect(err).toMatch(
      /^Stopped while [^\n]+ was under way: it may or may not have happened\. .*`svc customers list --all`.*\.\n$/,
    )
  })

  it('prints JSON with --json, with the exit code of the signal', async () => {
    const {code, out, err} = await stopDuring([...newCustomer, '--json'], 'SIGTERM', (method) => method !== 'GET')
    expect({code, out}).toEqual({code: 143, out: ''})
    expect(json(err)).toMatchObject({error: 'TERMINATED', exitCode: 143})
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s prints nothing about a read, and ends with %i', async (signal, code) => {
    expect(await stopDuring(['customers', 'list'], signal, () => true)).toEqual({code, out: '', err: ''})
  })
})
