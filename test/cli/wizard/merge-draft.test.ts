// Answers written into a file that a person has written: what is around them stays.
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../../support/svc.ts'
import {mergeDraft} from '../../../src/cli/wizard/merge-draft.ts'

describe('a file with comments', () => {
  it('keeps them, its order and its blanks, and gets the answers', async () => {
    const text = [
      '# Mine',
      'email: ada@example.com # work',
      'kycData:',
      '  # As on the passport.',
      '  legalFirstName: Ada # short for Adelaide',
      '  legalLastName:',
      '  address:',
      '    # Where she lives.',
      '    city: Paris',
      '    postalCode:',
      '  documents:',
      '    - type: GOVERNMENT_ID # the blue one',
      '      description:',
      '',
    ].join('\n')
    const body = {
      customerType: 'INDIVIDUAL',
      email: 'ada@example.com',
      kycData: {
        legalFirstName: 'Adelaide',
        legalLastName: 'NO',
        address: {city: 'Lyon', countryCode: 'FR'},
        documents: [{type: 'GOVERNMENT_ID', subtype: 'PASSPORT'}, {type: 'PROOF_OF_ADDRESS'}],
      },
    }
    expect(await mergeDraft(text, body)).toBe(
      [
        '# Mine',
        'email: ada@example.com # work',
        'kycData:',
        '  # As on the passport.',
        '  legalFirstName: Adelaide # short for Adelaide',
        '  legalLastName: "NO"',
        '  address:',
        '    # Where she lives.',
        '    city: Lyon',
        '    postalCode:',
        '    countryCode: FR',
        '  documents:',
        '    - type: GOVERNMENT_ID # the blue one',
        '      description:',
        '      subtype: PASSPORT',
        '    - type: PROOF_OF_ADDRESS',
        'customerType: INDIVIDUAL',
        '',
      ].join('\n'),
    )
  })

  it('loses an answer that was taken back, and a file of comments alone gets all of them', async () => {
    expect(await mergeDraft('# Mine\nemail: a@example.com\nname: Ada\n', {email: 'a@example.com'})).toBe(
      '# Mine\nemail: a@example.com\n',
    )
    expect(await mergeDraft('# Mine\n', {email: 'a@example.com'})).toBe('# Mine\n\nemail: a@example.com\n')
  })

  it('may be a template, whose explanations all stay', async () => {
    const {out} = await run(freshHome(), ['template', 'customer'])
    const body = {
      customerType: 'INDIVIDUAL',
      email: 'ada@example.com',
      kycData: {legalFirstName: 'Ada', documents: [{type: 'GOVERNMENT_ID', documentIdNumber: 'X1'}]},
    }
    const merged = (await mergeDraft(out, body)) ?? ''
    const listComments = (text: string) => text.match(/# .*/g)
    expect(listComments(merged)).toEqual(listComments(out))
    const answered = out
      .replace(/^email:$/m, 'email: ada@example.com')
      .replace(/^( +legalFirstName):$/m, '$1: Ada')
      .replace(/^( +documentIdNumber):$/m, '$1: X1')
    expect(merged).toBe(answered)
  })

  it.each([
    ['aliases', '# Mine\nname: &name Ada\nkycData: {legalFirstName: *name}\n'],
    ['a mistake', '# Mine\nname: "Ada\n'],
    ['a list at its top', '# Mine\n- Ada\n'],
  ])('is not written into if it has %s', async (_, text) => {
    expect(await mergeDraft(text, {name: 'Ada', email: 'ada@example.com'})).toBeUndefined()
  })
})
