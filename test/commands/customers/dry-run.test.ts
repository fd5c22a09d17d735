// svc customers create --dry-run and update --dry-run: everything that is wrong is said at once, and nothing is sent.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {indent, kycYaml, writePerson} from '../../support/person.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const check = ['customers', 'create', '--dry-run']
const ada = 'customerType: INDIVIDUAL\nemail: ada@example.com\nkycData:\n'

function writeCustomer(change: (yaml: string) => string = (yaml) => yaml) {
  const home = freshHome()
  writePerson(home.folder)
  fs.writeFileSync(path.join(home.folder, 'customer.yaml'), ada + indent(change(kycYaml)))
  return home
}

const readError = (err: string) => json(err) as {error: string; exitCode: number; problems?: string[]}

describe('svc customers create --dry-run', () => {
  it('lists the problems of the contract, of files and of verification together, each with its field', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'customer.yaml')
    fs.writeFileSync(
      file,
      `${ada}  legalFirstName: 12
  legalLastName:
  dateOfBirth: 2015-01-01
  nationality: UK
  phoneNumber: 555
  address: {city: Fernhollow}
  documents:
    - type: GOVERNMENT_ID
      subtype: PASSPORT
      frontIdImage: ./nowhere.png
    - type: PROOF_OF_ADDRESS
`,
    )
    const {code, err} = await run(home, [...check, '-f', 'customer.yaml', '--json'])
    expect(code).toBe(2)
    const toField = (line: string) => line.replace(/^(\S+) (?:fails.*\(([A-Z_]+)\))?.*$/, '$1 $2').trim()
    expect(readError(err).problems?.map(toField).join('\n')).toBe(`kycData.documents[0].frontIdImage
kycData.phoneNumber
kycData.nationality
kycData.legalLastName MISSING_NAME
kycData.address.countryCode INVALID_PARAMETERS
kycData.address.streetLine1 INVALID_PARAMETERS
kycData.dateOfBirth INCONSISTENT_INFORMATION
kycData.documents[0].countryCode MISSING_ID_DETAILS
kycData.documents[0].documentIdNumber MISSING_DOCUMENT_NUMBER
kycData.documents[0].issuanceDate MISSING_ISSUE_DATE
kycData.documents[0].expirationDate MISSING_EXPIRY_DATE
kycData.documents[1].proofOfAddressImage DOCUMENT_NOT_FOUND
kycData.documents[1].issuanceDate MISSING_ISSUE_DATE`)
    expect(err).toContain('(found \\"••\\")')
  })

  it('says the same as create and update, which send nothing that verification is known to refuse', async () => {
    const service = await serve(({method}, response) =>
      reply(response, 200, method === 'GET' ? customer(1, {customerStatus: 'CREATED'}) : customer(1)),
    )
    const home = writeCustomer((yaml) =>
      yaml.replace(/expirationDate: .*/, 'expirationDate: 2022-01-01').replace(/^nationality: .*\n/m, ''),
    )
    const checked = await run(home, [...check, '-f', 'customer.yaml'])
    expect(checked).toMatchObject({code: 2, out: '', err: expect.stringContaining('(DOCUMENT_EXPIRED)') as string})
    expect(checked.err).toContain(
      'svc: There are 2 warnings. Nothing was sent; if it is right, send it with --accept-warnings',
    )
    const {env} = service
    const create = ['customers', 'create', '-f', 'customer.yaml']
    const update = ['customers', 'update', customerId(1), '-f', 'kyc.yaml']
    fs.writeFileSync(
      path.join(home.folder, 'kyc.yaml'),
      fs.readFileSync(path.join(home.folder, 'customer.yaml'), 'utf8').slice(ada.indexOf('kycData')),
    )
    for (const command of [create, [...create, '--dry-run'], update, [...update, '--dry-run']]) {
      expect(await run(home, command, {env})).toEqual(checked)
    }
    expect(service.requests.filter(({method}) => method !== 'GET')).toEqual([])
    const accepted = await run(home, [...create, '--dry-run', '--accept-warnings'], {env})
    expect(accepted).toMatchObject({code: 0})
    expect(accepted.err).toBe((await run(home, [...check, '-f', 'customer.yaml', '--accept-warnings'])).err)
  })

  it('says the same at a terminal, where only a typed yes sends it', async () => {
    const home = writeCustomer((yaml) => yaml.replace(/expirationDate: .*/, 'expirationDate: 2022-01-01'))
    const create = ['customers', 'create', '-f', 'customer.yaml', '-p', 'sandbox']
    const declined = onTerminal(home, create, {cols: 200})
    await declined.waitFor('Send it all the same?')
    expect(declined.text()).toMatch(/Warning: \S+ fails verification: .*\(DOCUMENT_EXPIRED\)/)
    declined.type('n\r')
    expect(await declined.ended).toBe(130)
    const agreed = onTerminal(home, create, {cols: 200})
    await agreed.waitFor('Send it all the same?')
    agreed.type('y\r')
    expect(await agreed.ended).toBe(0)
    expect(agreed.text()).toMatch(/STATUS +(CREATED|UNDER_REVIEW)/)
  })
})
