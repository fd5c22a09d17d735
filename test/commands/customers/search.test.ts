// svc customers list --search: in a terminal, in a pipe, as JSON, with other filters, and rejected.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const search = (text: string, ...args: string[]) => ['customers', 'list', '-p', 'sandbox', '--search', text, ...args]

const listIds = (out: string) => (json(out)['customers'] as Array<{customerId: string}>).map(({customerId: id}) => id)

describe('svc customers list --search', () => {
  it.each(['zoe.ANGSTROM@', '4738020A-a06d', 'zoë'])('finds %s in an email, an id or a name', async (text) => {
    const {code, out} = await run(freshHome(), search(text, '--json'))
    expect({code, ids: listIds(out)}).toEqual({code: 0, ids: [zoe]})
  })

  it('finds nobody without an error', async () => {
    expect(await run(freshHome(), search('nobody'))).toEqual({code: 0, out: '', err: 'No customers match.\n'})
  })

  it('goes together with the other filters', async () => {
    expect(listIds((await run(freshHome(), search('feld', '--all', '--json'))).out)).toHaveLength(1)
    const ofBusinesses = await run(freshHome(), search('feld', '--all', '--json', '--type', 'BUSINESS'))
    expect(listIds(ofBusinesses.out)).toEqual([])
  })

  it.each([
    ['angstrom', 1],
    ['ANGSTROM zoe', 1],
    ['angs', 0],
    ['zoe angs', 0],
  ])('finds whole words only with --whole-words: %s', async (text, count) => {
    const {out} = await run(freshHome(), search(text, '--all', '--json', '--whole-words'))
    expect(listIds(out)).toHaveLength(count)
  })
})
