// The questions of the wizards: by country, by type of document, and by the shares of others.
import {describe, expect, it} from 'vitest'
import {type Body, withValue} from '../../src/values/body-paths.ts'
import {address, document} from '../../src/contract/customers.ts'
import {issueCodes} from '../../src/contract/issue-codes.ts'
import {createFields} from '../../src/forms/fields.ts'
import {buildQuestions} from '../../src/customers/wizard/questions.ts'
import {buildPartQuestions, copyAddresses, isOfPart, listParts} from '../../src/customers/wizard/submission.ts'
import {type Question, isUnsent} from '../../src/cli/wizard/question.ts'

const path = 'kycData.documents[0]'

const listDocumentQuestions = (fields: Body) =>
  buildQuestions(createFields(document, path), withValue({}, path, fields)).map((question) => ({
    ...question,
    path: question.path.replace(`${path}.`, ''),
  }))

const buildAddressQuestions = (body: Body, at: string) => buildQuestions(createFields(address, at), body)

const buildAll = (type: 'INDIVIDUAL' | 'BUSINESS', body: Body) => buildPartQuestions(type, listParts(type), body)

const findQuestion = (questions: readonly Question[], name: string) =>
  questions.find((each) => each.path.endsWith(name))

it.each([
  ['US', 'one-of'],
  ['FR', 'text'],
])('an address of %s has the states of its country, where they have codes: %s', (countryCode, kind) => {
  const questions = buildAddressQuestions({kycData: {address: {countryCode}}}, 'kycData.address')
  expect(findQuestion(questions, 'stateRegionProvince')?.kind).toBe(kind)
})

describe('a document', () => {
  it.each([
    ['PASSPORT', undefined],
    ['NATIONAL_ID', true],
    ['DRIVERS_LICENSE', false],
    ['VISA', false],
  ])('that is a %s: its back is required, as verification requires it: %s', (subtype, isRequired) => {
    const back = findQuestion(listDocumentQuestions({type: 'GOVERNMENT_ID', subtype}), 'backIdImage')
    expect(back?.isRequired).toBe(isRequired)
  })

  it('that has expired is warned about as verification refuses it, and can be given all the same', () => {
    const question = findQuestion(listDocumentQuestions({type: 'GOVERNMENT_ID'}), 'expirationDate')
    expect(question?.warn?.('2020-01-01')).toContain('Verification is known to refuse it')
    expect(question?.warn?.('2999-01-01')).toBeUndefined()
    expect(question?.check).toBeUndefined()
  })

  it('that proves an address is warned about if it is old, and has no ID fields', () => {
    const questions = listDocumentQuestions({type: 'PROOF_OF_ADDRESS'})
    const {warn} = findQuestion(questions, 'issuanceDate') ?? {}
    expect(questions.map((each) => each.path)).toEqual(['type', 'issuanceDate', 'proofOfAddressImage', 'description'])
    expect(warn?.('2020-01-01')).toContain('Verification is known to refuse it')
  })
})

const fields = new Set(issueCodes.flatMap((entry) => entry.fields))

it.each([...fields])('the parts of a submission include exactly one for the field %s of an issue code', (field) => {
  expect(listParts('INDIVIDUAL').filter((part) => isOfPart(`kycData.${field}`, part))).toHaveLength(1)
})

describe('a person', () => {
  it('is asked for every field of the interface except the locale of an address', () => {
    const asked = buildAll('INDIVIDUAL', {kycData: {$documents: 1}}).filter(({path: own}) => !isUnsent(own))
    const names = new Set(asked.map(({path: own}) => own.split('.')[1]?.replace('[0]', '')))
    expect(names.size).toBe(18)
  })

  it('may leave out the country code of a phone number of the country of residence', () => {
    const phone = (kycData: Body) => findQuestion(buildAll('INDIVIDUAL', {kycData}), 'kycData.phoneNumber')
    expect(phone({nationality: 'GB'})?.parse?.('07700 900123')).toBe('+447700900123')
    expect(phone({nationality: 'GB', address: {countryCode: 'US'}})?.parse?.('(650) 253-0000')).toBe('+16502530000')
    expect(phone({})?.parse?.('0044 7700 900123')).toBe('+447700900123')
    expect(phone({})?.parse?.('07700 900123')).toBe('07700900123')
  })

  it('cannot own more than the others leave, with fractions added exactly', () => {
    const shares = [33.4, 33.3, 40].map((ownershipPercentage) => ({ownershipPercentage}))
    const body = {kybData: {associatedPersons: shares}}
    const share = findQuestion(buildAll('BUSINESS', body), '[2].ownershipPercentage')
    expect(share?.hint).toBe('from 0 to 33.3: the others hold 66.7')
    expect(share?.check?.(33.3)).toBeUndefined()
    expect(share?.check?.(33.31)).toContain('33.3 at most')
  })
})

it('an owner who lives at the address of the business gets that address when it is sent, as it is then', () => {
  const person = {legalFirstName: 'Ada', $address: true}
  const kybData = {businessRegisteredAddress: {city: 'Lyon'}, associatedPersons: [person]}
  const listOpen = (body: Body) =>
    buildAll('BUSINESS', body).filter(
      ({path: own, isSettled}) => own.startsWith('kybData.associatedPersons[0].address') && !isSettled,
    )
  expect(listOpen({kybData})).toHaveLength(5)
  const filled = withValue({kybData}, 'kybData.businessRegisteredAddress.streetLine1', '1 rue des Lilas')
  expect(listOpen(filled)).toEqual([])
  expect(copyAddresses(filled)).toMatchObject({
    kybData: {associatedPersons: [{address: {city: 'Lyon', streetLine1: '1 rue des Lilas'}}]},
  })
})
