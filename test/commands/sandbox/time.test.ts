// svc sandbox clock and snapshot: output on a terminal, in a pipe and as JSON, and rejected input.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const getSnapshotFolder = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite.snapshots')

const createdWithData = (
  'api POST /customers -p sandbox --json --set customerType=INDIVIDUAL --set email=ada@example.com ' +
  '--set kycData.legalFirstName=Ada'
).split(' ')

describe('svc sandbox snapshot', () => {
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
