// Wrong values are refused with what is expected, and blanks of a YAML file are left out.
import {describe, expect, it} from 'vitest'
import {freshHome, run} from '../../support/svc.ts'

const lines = async (args: readonly string[], input?: string) => {
  const {code, err} = await run(freshHome(), [...args, '--json'], input === undefined ? {} : {input})
  expect(code).toBe(2)
  const {message, problems = [message]} = JSON.parse(err) as {message: string; problems?: string[]}
  return problems.join('\n')
}

const individual = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']

describe('a value', () => {
  it.each([
    ['kycData.dateOfBirth=23.4.1990', 'must be an ISO 8601 date, YYYY-MM-DD'],
    ['kycData.isIntermediary=maybe', 'must be true or false'],
    ['kycData.documents[0].type=PASSPORT', 'must be one of GOVERNMENT_ID, PROOF_OF_ADDRESS'],
    ['kybData.associatedPersons[0].ownershipPercentage=half', 'must be a number from 0 to 100'],
    ['kybData.businessInfo.otherLinks=one', 'must be a list'],
    ['kycData.address=Boston', 'must be an object'],
  ])('such as %s is refused with what is expected', async (assignment, expected) => {
    expect(await lines([...individual, '--set', assignment])).toContain(expected)
  })
})

describe('a YAML file', () => {
  it('leaves out what is blank, and keeps what is empty on purpose', async () => {
    const sent = await run(freshHome(), [...individual, '-f', '-', '--dry-run', '--reveal', '--json'], {
      input: 'email:\nfirstName: Ada\nkycData:\n  legalFirstName:\n  documents:\n    - type:\n',
    })
    expect(JSON.parse(sent.out)).toMatchObject({
      body: {customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada'},
    })
    expect(sent.out).not.toContain('kycData')
    expect(await lines([...individual, '-f', '-'], 'firstName: null\n')).toContain('firstName must be text')
  })
})
