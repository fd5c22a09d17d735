// svc sandbox clock and snapshot: output on a terminal, in a pipe and as JSON, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const clock = async (home: Home, ...args: string[]) =>
  json((await run(home, ['sandbox', 'clock', ...args, '--json'])).out) as {now: string; frozen: boolean}

const getSnapshotFolder = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite.snapshots')

const createdWithData = (
  'api POST /customers -p sandbox --json --set customerType=INDIVIDUAL --set email=ada@example.com ' +
  '--set kycData.legalFirstName=Ada'
).split(' ')

async function readStatus(home: Home, id: string): Promise<unknown> {
  return json((await run(home, ['customers', 'get', id, '-p', 'sandbox', '--json'])).out)['customerStatus']
}

describe('svc sandbox clock', () => {
  it('advances to the next task, or until the sandbox is idle', async () => {
    const home = freshHome()
    await clock(home, 'freeze')
    const {customerId} = json((await run(home, createdWithData)).out) as {customerId: string}
    expect(await readStatus(home, customerId)).toBe('UNDER_REVIEW')
    await clock(home, 'to-next')
    expect(await readStatus(home, customerId)).toBe('NEEDS_ADDITIONAL_INFORMATION')
    await clock(home, 'until-idle')
    const {customers} = json((await run(home, ['sandbox', 'status', '--json'])).out) as {
      customers: Record<string, number>
    }
    expect(customers['UNDER_REVIEW']).toBe(0)
  })
})

describe('svc sandbox snapshot', () => {
  it('restores a snapshot including its time', async () => {
    const home = freshHome()
    const {now: before} = await clock(home, 'freeze')
    expect((await run(home, ['sandbox', 'snapshot', 'save', 'before'])).code).toBe(0)
    await clock(home, 'advance', '1d')
    const {customerId} = json((await run(home, createdWithData)).out) as {customerId: string}
    expect((await run(home, ['sandbox', 'snapshot', 'restore', 'before', '--quiet'])).out).toBe('')
    expect((await clock(home)).now).toBe(before)
    expect((await run(home, ['customers', 'get', customerId, '-p', 'sandbox'])).code).toBe(5)
  })

  it('restores a snapshot that was copied from another sandbox, and passes over other files in the folder', async () => {
    const [home, other] = [freshHome(), freshHome()]
    const {customerId} = json((await run(home, createdWithData)).out) as {customerId: string}
    for (const each of [home, other]) await run(each, ['sandbox', 'snapshot', 'save', 'first'])
    fs.copyFileSync(
      path.join(getSnapshotFolder(home), 'first.sqlite'),
      path.join(getSnapshotFolder(other), 'far.sqlite'),
    )
    fs.writeFileSync(path.join(getSnapshotFolder(other), 'empty.sqlite'), '')
    fs.writeFileSync(path.join(getSnapshotFolder(other), 'text.sqlite'), 'no database at all')
    const listed = await run(other, ['sandbox', 'snapshot', 'list', '--jq', '.snapshots[].name'])
    expect(listed.out.trim().split('\n').toSorted()).toEqual(['far', 'first'])
    for (const name of ['empty', 'text']) {
      const {code, err} = await run(other, ['sandbox', 'snapshot', 'restore', name])
      expect({code, err}).toEqual({code: 2, err: expect.stringContaining(`"${name}" is not a saved sandbox`)})
    }
    expect((await run(other, ['sandbox', 'snapshot', 'restore', 'far'])).code).toBe(0)
    expect((await run(other, ['customers', 'get', customerId, '-p', 'sandbox'])).code).toBe(0)
  })
})
