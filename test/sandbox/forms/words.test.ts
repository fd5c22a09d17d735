// What a hosted form says of a field, to people who do not know the interface: whatever is missing
// or wrong, it names no path. Nor does the page of a customer in the console.
import {expect, it} from 'vitest'
import {fiatMethods} from '../../../src/contract/vocabulary.ts'
import {embeddedUrl} from '../../../src/embedded-fetch.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {isContainer} from '../../../src/values/records.ts'
import {paths} from '../../../src/web/console/context.ts'
import {call, completeKyb, completeKyc, createCustomer, openTemporary, zoe} from '../open.ts'
import {
  business,
  completeForms,
  getLink,
  getPage,
  individual,
  readControls,
  readCsrf,
  postForm,
  type FormInput,
  type Page,
} from './fill-form.ts'

// Without the choices, and without what was entered.
const readText = ({text}: Page) =>
  text
    .replaceAll(/<(title|script|style|option|textarea)\b[^]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\bexample\.com\b/g, '')

const listPaths = (page: Page) => readText(page).match(/\b[a-z]+[A-Z]\w*|\b\w+\[\d+\]\S*|\b[a-z]+\.[a-z]+\w*/g) ?? []

type Data = Readonly<Record<string, unknown>>

interface CreatedCustomer {
  customerId: string
  verificationLink?: string
}

// The data without each of its parts, one at a time, at every depth.
function* listIncomplete(data: Data): Generator<Data> {
  for (const [name, value] of Object.entries(data)) {
    const {[name]: _, ...others} = data
    yield others
    const [first, ...rest] = Array.isArray(value) ? (value as Data[]) : []
    if (first) for (const inner of listIncomplete(first)) yield {...data, [name]: [inner, ...rest]}
    else if (isContainer(value)) for (const inner of listIncomplete(value)) yield {...data, [name]: inner}
  }
}

const person = completeKyb.associatedPersons?.[0]
const [document] = completeKyc.documents

const kyc: Data[] = [
  ...listIncomplete(completeKyc),
  {...completeKyc, dateOfBirth: '2020-01-01'},
  {...completeKyc, address: {...completeKyc.address, postalCode: 'nowhere', stateRegionProvince: 'XX'}},
  {...completeKyc, documents: [{...document, issuanceDate: '2024-01-01', expirationDate: '2023-01-01'}, {}]},
]

const kyb: Data[] = [
  ...listIncomplete(completeKyb),
  ...kyc.map((each) => ({...completeKyb, associatedPersons: [person, {...each, ownershipPercentage: 90}]})),
  {
    ...completeKyb,
    associatedPersons: [
      {...person, ownershipPercentage: 90},
      {...person, ownershipPercentage: 90},
    ],
  },
]

const submissions = [
  ...kyc.map((kycData) => ({...individual, kycData})),
  ...kyb.map((kybData) => ({...business, kybData})),
]

const getConsolePage = (sandbox: Sandbox, {customerId}: CreatedCustomer): Promise<Page> =>
  getPage(sandbox, `${embeddedUrl}${paths.customer}?id=${customerId}`)

it('names what a review found by its label', async () => {
  const sandbox = openTemporary()
  const replies = await Promise.all(submissions.map((body) => call(sandbox, 'POST', '/customers', body)))
  // Some are refused at once.
  const customers = replies.filter(({status}) => status === 200).map(({body}) => body as CreatedCustomer)
  sandbox.clock.advance(60_000)
  const forms = await Promise.all(customers.map((customer) => getPage(sandbox, getLink(customer))))
  const consolePages = await Promise.all(customers.map((customer) => getConsolePage(sandbox, customer)))
  expect([...forms, ...consolePages].flatMap(listPaths)).toEqual([])
  expect(forms.filter(({text}) => text.includes('id="corrections"')).length).toBeGreaterThan(40)
  expect(consolePages.filter(({text}) => text.includes('The code of the service')).length).toBeGreaterThan(40)
})

async function listForms(sandbox: Sandbox) {
  const people = [individual, business].map(async (body) => {
    const customer = await createCustomer(sandbox, body)
    return {link: getLink(customer), complete: completeForms[customer.customerType]}
  })
  const accounts = fiatMethods.map((method) => {
    const account = {customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method, pending: true} as const
    return {link: String(sandbox.money.addAccount(account).bankAccountFormLink), complete: completeForms.SEPA}
  })
  return [...(await Promise.all(people)), ...accounts]
}

it('names what is missing or wrong by its label', async () => {
  const sandbox = openTemporary()
  for (const {link, complete} of await listForms(sandbox)) {
    const page = await getPage(sandbox, link)
    const names = [...Object.keys(readControls(page)), ...Object.keys(complete)].filter(
      (name) => !/^(csrf|do)$/.test(name),
    )
    const [part = ''] = /^kycData|^kybData\.associatedPersons\[0\]|$/.exec(Object.keys(complete).at(-1) ?? '') ?? []
    const inputs: FormInput[] = [
      {},
      ...['?', '0', 'x'.repeat(2_000)].map((value) => Object.fromEntries(names.map((name) => [name, value]))),
      ...Object.keys(complete).map((name) => ({...complete, [name]: '?'})),
      {...complete, [`${part}.nationalIdType`]: 'CPF'},
      {...complete, [`${part}.favouriteColour`]: 'red', favouriteColour: 'red'},
    ]
    for (const input of inputs) {
      const answered = await postForm(sandbox, link, {csrf: readCsrf(page), ...input})
      if (answered.status === 303) break
      expect([input, listPaths(answered)]).toEqual([input, []])
    }
  }
})
