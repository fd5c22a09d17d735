// What pages say of a payment: its state, and each line of its history, in words instead of codes.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {paymentStates} from '../../../src/payments/protocol/payment.ts'
import {codeToWords} from '../../../src/values/text.ts'
import {describeLine} from '../../../src/web/console/payments.ts'
import {findWords} from '../../../src/web/console/words.ts'
import {root} from '../../support/svc.ts'

const tell = (what: string, detail: Record<string, unknown> = {}) => {
  const {what: title, detail: said} = describeLine({what, detail})
  return [title, said].join(' | ')
}

describe('a line of the journal', () => {
  it('has a sentence for every state, and a title for every line that svc writes', () => {
    expect(paymentStates.filter((state) => findWords('payment', state) === findWords('payment', 'nothing'))).toEqual([])
    const source = fs
      .globSync('src/payments/**/*.ts', {cwd: root})
      .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
      .join('\n')
    const written = [...source.matchAll(/what: ["']+([A-Z_]+)["']/g)].map(([, what = '']) => what)
    expect(written).toContain('TAKEN_OVER')
    expect(written.filter((what) => describeLine({what}).what === codeToWords(what))).toEqual([])
  })

  it('tells figures, reasons and people by name, without ids, and never leaves out what it does not know', () => {
    expect(tell('QUOTED', {quoteId: 'quote_1', rate: '0.92', svcFee: '0.20', feeCurrency: 'USDC'})).toBe(
      'The service quoted a price | Rate: 0.92. Fee of the service: 0.20. Fees in: USDC.',
    )
    expect(tell('ARMED', {attempt: 1, epoch: 2, approved: 'ff'})).toBe('Written down as about to be sent | ')
    const data = {approvals: [{signer: 'ben'}, {signer: 'cem'}, {signer: 'ben'}, null], digest: 'ff'}
    expect(tell('DECISION', {id: 'x', kind: 'APPROVAL_USED', user: 'ana', host: 'desk', data})).toBe(
      'Approved | User: ana. Host: desk. Signed by ben and cem.',
    )
    expect(tell('MOVED_HOUSE', {COLOUR_OF_DOOR: 'red', toString: 1})).toBe(
      'Moved house | Colour of door: red. ToString: 1.',
    )
  })
})
