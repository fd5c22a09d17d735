// What pages say of a payment: its price, its state, and each line of its history, in words instead of codes.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {paymentStates} from '../../src/payments/protocol/payment.ts'
import {codeToWords} from '../../src/values/text.ts'
import {spellDuration} from '../../src/web/format.ts'
import {findWords} from '../../src/web/console/words.ts'
import {describeFees, describeRate, describeStep} from '../../src/web/payment-words.ts'
import {root} from '../support/svc.ts'

const currencies = {from: 'USDC', to: 'EUR'}
const tell = (what: string, detail?: Record<string, unknown>) => {
  const {title, sentences} = describeStep({what, detail}, currencies)
  return [title, ...sentences].join(' | ')
}

describe('a price', () => {
  it('has units, and fees as a share of the amount where both have one currency', () => {
    expect(describeRate('0.9207041876', 'USDC', 'EUR')).toBe('1 USDC = 0.920704 EUR')
    expect([describeRate('', 'USDC', 'EUR'), describeRate('1', 'USD', 'usd')]).toEqual(['', ''])
    const fees = (amount: string, currency: string, ...each: string[]) =>
      describeFees({fees: each, feeCurrency: 'USDC', amount, currency})
    expect(fees('240', 'USDC', '0.75', '0.45')).toBe('1.20 USDC, 0.50 % of the amount')
    expect([fees('240', 'EUR', '1.20'), fees('0', 'USDC', '1.20')]).toEqual(['1.20 USDC', '1.20 USDC'])
    expect([fees('240', 'USDC'), fees('240', 'USDC', 'much'), fees('x', 'USDC', '1')]).toEqual(['', '', '1 USDC'])
  })
})

describe('a time that passed', () => {
  it('is spelt out', () => {
    expect([720_000, 3_661_000, 86_400_000, 1_000, 5].map(spellDuration)).toEqual([
      '12 minutes',
      '1 hour 1 minute',
      '1 day',
      '1 second',
      'under 1 second',
    ])
  })
})

describe('a line of the journal', () => {
  it('has a sentence for every state, and a title for every line that svc writes', () => {
    expect(paymentStates.filter((state) => findWords('payment', state) === findWords('payment', 'nothing'))).toEqual([])
    const source = fs
      .globSync('src/payments/**/*.ts', {cwd: root})
      .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
      .join('\n')
    const written = [...source.matchAll(/what: ["']+([A-Z_]+)["']/g)].map(([, what = '']) => what)
    expect(written).toContain('TAKEN_OVER')
    expect(written.filter((what) => describeStep({what}, currencies).title === codeToWords(what))).toEqual([])
  })

  it('tells the price of a quote, reasons and people, without ids', () => {
    const price = {rate: '0.92', received: '9.90', svcFee: '0.20', developerFee: '0.04', feeCurrency: 'USDC'}
    expect(tell('QUOTED', {quoteId: 'quote_1', ...price})).toBe(
      'The service quoted a price | 1 USDC = 0.92 EUR, fees 0.24 USDC, 9.90 EUR to arrive.',
    )
    expect(tell('STOPPED', {reason: 'the fee is too high'})).toBe('Stopped before it was sent | The fee is too high.')
    expect(tell('ENDED', {status: 'FAILED'})).toBe('The transaction ended badly | It ended as failed.')
    expect(tell('ABANDONED', {by: 'a person', user: 'ana', host: 'desk', why: 'paid in cash'})).toBe(
      'Given up | Because: paid in cash. | By ana on desk.',
    )
    const data = {approvals: [{signer: 'ben'}, {signer: 'cem'}, {signer: 'ben'}, null], digest: 'ff'}
    expect(tell('DECISION', {id: 'x', kind: 'APPROVAL_USED', user: 'ana', host: 'desk', data})).toBe(
      'Approved | Signed by ben and cem. | By ana on desk.',
    )
  })

  it('shows what it does not know with its name, and never leaves it out', () => {
    expect(tell('MOVED_HOUSE', {COLOUR_OF_DOOR: 'red', toString: 1})).toBe(
      'Moved house | Colour of door: red. | toString: 1.',
    )
    expect(tell('DECISION', {kind: 'NEW_KIND'})).toBe('New kind')
  })
})
