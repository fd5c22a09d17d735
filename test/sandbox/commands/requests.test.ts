// svc sandbox requests: the request log without personal data, once or followed live.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {completeKyc} from '../open.ts'
import {startSvc} from '../../support/running.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

const api = (home: Home, ...args: string[]) => run(home, ['api', ...args, '-p', 'sandbox', '--json'])
const requests = (home: Home, ...args: string[]) => run(home, ['sandbox', 'requests', ...args])

const secrets = ['Ines', 'Vard', 'ines.v@', '447700900123', '1990-04-23', 'Naustveien', 'lesund', 'X123987', 'iVBOR']

const submission = {
  customerType: 'INDIVIDUAL',
  email: 'ines.v@example.com',
  firstName: 'Ines',
  lastName: 'Vardø',
  kycData: {
    ...completeKyc,
    documents: [
      {type: 'GOVERNMENT_ID', documentIdNumber: 'X123987', frontIdImage: 'data:image/png;base64,iVBORw0KGgo='},
    ],
  },
}

describe('svc sandbox requests', () => {
  it('keeps ids, states and amounts, and neither the credential nor personal data', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'body.json')
    // Rejected for its image, so that the error message is logged as well; then accepted without it.
    fs.writeFileSync(file, JSON.stringify(submission))
    await api(home, 'POST', '/customers', '--file', file)
    const {documents: _, ...kycData} = submission.kycData
    fs.writeFileSync(file, JSON.stringify({...submission, kycData}))
    const {customerId} = json((await api(home, 'POST', '/customers', '--file', file)).out)
    await api(home, 'GET', '/customers/ines.v@example.com', '--query', 'email=ines.v@example.com')
    await api(home, 'POST', '/customers', '--set', 'Ines Vardø=1', '--set', 'customerType="Ines"')
    const {out} = await requests(home, '-o', 'jsonl')
    const rows = out.trimEnd().split('\n').map(json)
    expect(rows).toHaveLength(4)
    expect(rows[1]).toMatchObject({
      method: 'POST',
      path: '/customers',
      status: 200,
      request: {customerType: 'INDIVIDUAL', email: '…', kycData: {legalFirstName: '…', address: {city: '…'}}},
      reply: {customerId, customerStatus: 'CREATED', name: '…', email: '…', verificationLink: '…'},
    })
    for (const secret of [...secrets, 'svc_sandbox_', 'form_']) expect(out).not.toContain(secret)
    // Not only in the output: the table in the database has none of it.
    const {DatabaseSync} = await import('node:sqlite')
    const database = new DatabaseSync(`${home.env['SVC_CONFIG_DIR']}/state/sandbox.sqlite`, {readOnly: true})
    const stored = JSON.stringify(database.prepare('select * from requests').all())
    database.close()
    for (const secret of secrets) expect(stored).not.toContain(secret)
    // Its digits alone may be part of a time or an id.
    for (const text of [out, stored]) expect(text).not.toMatch(/"6002\\*"/)
  })

  it('follows until Ctrl-C, and ends with 130', async () => {
    const home = freshHome()
    await api(home, 'GET', '/nowhere')
    const follower = startSvc(home, ['sandbox', 'requests', '--follow', '--limit', '0', '-o', 'jsonl'])
    // Nothing shows that the command has started but the first request after that.
    const asking = setInterval(() => void api(home, 'GET', '/customers'), 50)
    await follower.waitFor('\n')
    clearInterval(asking)
    follower.stop('SIGINT')
    const {code, out} = await follower.ended
    expect(code).toBe(130)
    for (const line of out.trimEnd().split('\n')) expect(json(line)).toMatchObject({path: '/customers', status: 200})
  })
})
