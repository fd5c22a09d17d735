// svc customers fix for every issue code: the sandbox raises it, and it is corrected or referred to support.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {dataUri, png} from '../../validation/images.ts'
import {keys} from '../../support/wizard-keys.ts'
import {type Keys, answerByTable, searchAndSelect} from '../../support/wizard-answers.ts'
import {type Home, bin, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const {enter, down} = keys
const kilobyte = 1024
const image = png({bytes: 101 * kilobyte})
const atOnce = 3
const allMs = 150_000

const document = {
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'FR',
  documentIdNumber: '12AB34567',
  issuanceDate: '2022-05-06',
  expirationDate: '2032-05-05',
  frontIdImage: dataUri(image, 'image/png'),
}

// Valid data, so that only the magic value raises an issue.
const kycData = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  phoneNumber: '+15551234567',
  dateOfBirth: '1990-04-23',
  nationality: 'FR',
  address: {countryCode: 'FR', streetLine1: '1 rue des Lilas', city: 'Lyon', postalCode: '69001'},
  documents: [document],
}

// The answer to each question, by its label.
const answers: Readonly<Record<string, Keys>> = {
  'What should be corrected for': [' ', enter],
  'First name, as on the ID': `Ada${enter}`,
  'Middle name': enter,
  'Last name, as on the ID': `Example${enter}`,
  'Date of birth': `1990-04-23${enter}`,
  Country: searchAndSelect('France'),
  'Street and number': `2 rue des Lilas${enter}`,
  'Flat, floor or building': enter,
  City: `Lyon${enter}`,
  'State, region or province': enter,
  'Postal code': `69002${enter}`,
  'Kind of national ID': [down, /❯ TIN/, enter],
  'Number of the national ID': `30 01 234 567 890${enter}`,
  'Country that issued the national ID': searchAndSelect('France'),
  'Kind of document': enter,
  'Which document': [down, /❯ PASSPORT/, enter],
  'Country that issued it': searchAndSelect('France'),
  'Number on the document': `34CD56789${enter}`,
  'Issued on': `2023-05-06${enter}`,
  'Valid until': `2033-05-05${enter}`,
  'Image of the front': `./front.png${enter}`,
  'Notes about the document': enter,
  'Add another document?': enter,
  'What now?': enter,
  'Sent. Wait for the outcome?': `n${enter}`,
}

const addressQuestions = [
  'Country',
  'Street and number',
  'Flat, floor or building',
  'City',
  'State, region or province',
  'Postal code',
]
const idQuestions = ['Kind of national ID', 'Number of the national ID', 'Country that issued the national ID']
const documentQuestions = [
  'Kind of document',
  'Which document',
  'Country that issued it',
  'Number on the document',
  'Issued on',
  'Valid until',
  'Image of the front',
  'Notes about the document',
  'Add another document?',
]

// The questions for the part of each field, in the order in which they are asked.
const questionsByField: ReadonlyArray<[field: RegExp, questions: readonly string[]]> = [
  [/^legalFirstName$/, ['First name, as on the ID']],
  [/^legalMiddleName$/, ['Middle name']],
  [/^legalLastName$/, ['Last name, as on the ID']],
  [/^dateOfBirth$/, ['Date of birth']],
  [/^address\./, addressQuestions],
  [/^nationalId/, idQuestions],
  [/^documents\./, documentQuestions],
]

const choiceQuestions = ['What should be corrected for', 'First name, as on the ID']

function expectedQuestions(fields: readonly string[]): readonly string[] {
  const own = questionsByField.filter(([field]) => fields.some((each) => field.test(each)))
  const questions = fields.length === 0 ? choiceQuestions : own.flatMap(([, each]) => each)
  return [...questions, 'What now?', 'Sent. Wait for the outcome?']
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
const home: Home = {
  folder,
  env: {
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_CACHE_DIR: path.join(os.tmpdir(), 'svc-test-cache'),
  },
}
const service = spawn(process.execPath, [bin, 'sandbox', 'start', '--port', '0', '--json'], {
  cwd: folder,
  env: home.env,
})

interface Outcome {
  // The issue that the magic value raised.
  raised: unknown
  asked: readonly string[]
  code: number
  text: string
  // The final status.
  status?: unknown
}

const outcomes = new Map<string, Outcome>()

type Customer = Record<string, unknown> & {verificationIssues?: Array<{code: string}>}

async function startSandbox(): Promise<{url: string; headers: Record<string, string>; env: Record<string, string>}> {
  const line = await new Promise<string>((resolve) =>
    service.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text)),
  )
  const {url, apiKey} = json(line) as {url: string; apiKey: string}
  return {
    url,
    headers: {authorization: `Bearer ${apiKey}`, 'content-type': 'application/json'},
    env: {SVC_BASE_URL: url, SVC_API_KEY: apiKey},
  }
}

beforeAll(async () => {
  fs.writeFileSync(path.join(folder, 'front.png'), image)
  const {url, headers, env} = await startSandbox()
  const read = async (id: string) => (await (await fetch(`${url}/customers/${id}`, {headers})).json()) as Customer
  const ids = new Map<string, string>()
  for (const {code} of issueCodes) {
    const body = {
      customerType: 'INDIVIDUAL',
      email: 'ada@example.com',
      kycData: {...kycData, accountPurposeOther: `MAGIC_${code}`},
    }
    const reply = await fetch(`${url}/customers`, {method: 'POST', headers, body: JSON.stringify(body)})
    ids.set(code, ((await reply.json()) as {customerId: string}).customerId)
  }
  await run(home, ['sandbox', 'clock', 'advance', '1m'])
  const left = [...ids]
  const one = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [code, id] = next
      const raised = (await read(id)).verificationIssues?.map((issue) => issue.code)
      const screen = onTerminal(home, ['customers', 'fix', id], {env})
      try {
        outcomes.set(code, {raised, ...(await answerByTable(screen, answers)), text: screen.text()})
      } catch (error) {
        outcomes.set(code, {raised, asked: [], code: Number.NaN, text: String(error)})
        screen.type(keys.stop)
      }
    }
  }
  await Promise.all(Array.from({length: atOnce}, one))
  await run(home, ['sandbox', 'clock', 'advance', '1m'])
  for (const [code, id] of ids) {
    const outcome = outcomes.get(code)
    if (outcome) outcome.status = (await read(id))['customerStatus']
  }
}, allMs)

afterAll(() => {
  service.kill('SIGKILL')
  fs.rmSync(folder, {recursive: true, force: true})
})

const correctable = issueCodes.filter(({resolver}) => resolver !== 'SUPPORT')
const forSupport = issueCodes.filter(({resolver}) => resolver === 'SUPPORT')

describe('svc customers fix, by issue code', () => {
  it('knows all sixty codes of the interface', () => {
    expect(issueCodes.length).toBe(60)
    expect(forSupport.length).toBe(6)
  })

  it.each(correctable)('asks for the fields of $code, and the customer becomes ACTIVE', ({code, fields}) => {
    const {text, ...outcome} = outcomes.get(code) ?? {}
    expect(outcome, text).toEqual({raised: [code], asked: expectedQuestions(fields), code: 0, status: 'ACTIVE'})
    expect(text).toContain(`  ${code} (`)
    expect(text).toMatch(/STATUS +UNDER_REVIEW\n/)
  })

  it.each(forSupport)('asks for nothing and refers to support for $code', ({code}) => {
    const {text, ...outcome} = outcomes.get(code) ?? {}
    expect(outcome, text).toEqual({raised: [code], asked: [], code: 11, status: 'NEEDS_ADDITIONAL_INFORMATION'})
    expect(text).toMatch(new RegExp(`Only support can resolve:\\n  ${code} `))
    expect(text?.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`Tell support: customer [-\\da-f]{36}, code ${code}, found 20`),
    )
  })
})
