// What a wizard makes of codes and of what looks mistyped.
import {describe, expect, it} from 'vitest'
import {suggestMailDomain} from '../../../src/cli/wizard/questions.ts'
import {codeToWords} from '../../../src/values/text.ts'

describe('the words of a code', () => {
  it.each([
    ['C_CORPORATION', 'C corporation'],
    ['LLC', 'LLC'],
    ['SINGLE_MEMBER_LLC', 'Single member LLC'],
    ['NATIONAL_ID', 'National ID'],
    ['SSN', 'SSN'],
    ['SELF_EMPLOYED', 'Self-employed'],
    ['10K_TO_50K', '10,000 to 50,000'],
    ['BETWEEN_5000_9999', '5,000 to 9,999'],
    ['LESS_THAN_10000', 'Less than 10,000'],
    ['as it came', 'as it came'],
  ])('%s is “%s”', (code, words) => expect(codeToWords(code)).toBe(words))
})

describe('the domain of an email', () => {
  it.each([
    ['a@gmial.com', 'a@gmail.com'],
    ['a@gmail.co', 'a@gmail.com'],
    ['a@hotmial.com', 'a@hotmail.com'],
    ['a@yahooo.com', 'a@yahoo.com'],
    ['a@Outlok.com', 'a@outlook.com'],
  ])('%s is asked about', (typed, meant) => expect(suggestMailDomain(typed)).toBe(`Did you mean ${meant}?`))

  it.each(['a@gmail.com', 'a@ymail.com', 'a@yahoo.ca', 'a@outlook.de', 'a@example.com', 'a', 5])('%s is not', (typed) =>
    expect(suggestMailDomain(typed)).toBeUndefined(),
  )
})
