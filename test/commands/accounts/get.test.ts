// svc accounts get: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const get = (id: string) => ['accounts', 'get', id, '--customer', zoe]

describe('svc accounts get', () => {
  it('reads the list until it finds the account, and no further', async () => {
    const service = await serve(({query}, response) => {
      const page = Number(query.get('pageToken') ?? 1)
      reply(response, 200, {paymentAccounts: [{paymentAccountId: `acc_${page}`}], nextPageToken: String(page + 1)})
    })
    const {out} = await run(freshHome(), [...get('acc_3'), '--json'], {env: service.env})
    expect(json(out)).toEqual({paymentAccountId: 'acc_3'})
    expect(service.requests.map(({query}) => query.get('pageToken'))).toEqual([null, '2', '3'])
  })
})
