// Plain text is wrapped by code of ours, which gives the same lines as the package that measures any text.
import * as fc from 'fast-check'
import {wrapAnsi} from 'fast-wrap-ansi'
import {describe, expect, it} from 'vitest'
import {wrapText, wrapWords} from '../../../src/cli/output/wrap-text.ts'

const letters = ['abcXYZ019.,:;`"\'-–’“”|()\\é界'.split(''), '  ', '\n', '\u001b[1m'].flat()
const word = fc.string({unit: fc.constantFrom(...letters), maxLength: 14})
const text = fc.array(word, {maxLength: 12}).map((words) => words.join(' '))
const width = fc.integer({min: 1, max: 40})

describe('wrapping text', () => {
  it('keeps long words in one piece, as the package does', () => {
    fc.assert(
      fc.property(text, width, (some, max) => {
        expect(wrapWords(some, max)).toEqual(wrapAnsi(some, max).split('\n'))
      }),
    )
  })

  it('cuts long words for screens, as the package does', () => {
    fc.assert(
      fc.property(text, width, (some, max) => {
        expect(wrapText(some, max)).toEqual(wrapAnsi(some, max, {hard: true}).split('\n'))
      }),
    )
  })

  it('breaks between words that fit', () => {
    expect(wrapWords('List customers that must correct something', 20)).toEqual([
      'List customers that',
      'must correct',
      'something',
    ])
    expect(wrapWords('a customer’s', 12)).toEqual(['a customer’s'])
  })
})
