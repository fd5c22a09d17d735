// svc customers create and update: what is sent is what a dry run shows, and nothing personal is shown.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {itemResult} from '../../../src/cli/output/result.ts'
import {describeNextStep} from '../../../src/customers/words.ts'
import {indent, kycYaml, personalData, writePerson} from '../../support/person.ts'
import {customer, customerId, reply, serve, serveFirstCustomer} from '../../support/service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const create = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'zephyrine@example.com']
const update = ['customers', 'update', customerId(1)]

interface Shown {
  method: string
  path: string
  body: {kycData: {documents: Array<Record<string, string>>; address: Record<string, string>}}
}

const readRequest = (out: string) => JSON.parse(out) as Shown

const serveNewCustomer = () =>
  serve(({method}, response) =>
    reply(response, 200, method === 'GET' ? customer(1, {customerStatus: 'CREATED'}) : customer(1)),
  )

function writeCustomer(change: (yaml: string) => string): Home {
  const home = freshHome()
  writePerson(home.folder)
  fs.writeFileSync(path.join(home.folder, 'kyc.yaml'), `kycData:\n${indent(change(kycYaml))}`)
  return home
}

const expire = (yaml: string) => yaml.replace(/expirationDate: .*/, 'expirationDate: 2022-01-01')

describe('svc customers create', () => {
  it('sends exactly what --dry-run --reveal shows', async () => {
    const service = await serveFirstCustomer(() => customer(1))
    const home = freshHome()
    const {passport} = writePerson(path.join(home.folder, 'papers'))
    const given = [...create, '-f', 'papers/kyc.yaml']
    const shown = await run(home, [...given, '--dry-run', '--reveal'])
    expect(shown).toMatchObject({code: 0, err: ''})
    await run(home, given, {env: service.env})
    const {method, path: target, body} = readRequest(shown.out)
    expect(service.requests).toMatchObject([{method: 'GET'}, {method, path: target, body: JSON.stringify(body)}])
    expect(body.kycData.address['postalCode']).toBe('02139')
    expect(body.kycData.documents[0]?.['frontIdImage']).toBe(`data:image/jpeg;base64,${passport.toString('base64')}`)
  })

  it('lets flags override the file, and --set override both', async () => {
    const home = freshHome()
    const papers = path.join(home.folder, 'papers')
    writePerson(papers)
    fs.copyFileSync(path.join(papers, 'passport.jpg'), path.join(papers, 'back.png'))
    const whole = `customerType: BUSINESS\nemail: old@example.com\nkycData:\n${indent(kycYaml)}`
    fs.writeFileSync(path.join(papers, 'whole.yaml'), whole)
    const args =
      'customers create -f papers/whole.yaml --type INDIVIDUAL --set email=new@example.com --set kycData.documents[0].backIdImage=./papers/back.png --dry-run --reveal'
    const {body} = readRequest((await run(home, args.split(' '))).out)
    expect(body).toMatchObject({
      customerType: 'INDIVIDUAL',
      email: 'new@example.com',
      kycData: {address: {city: 'Fernhollow', postalCode: '02139'}},
    })
    expect(body.kycData.documents[0]?.['backIdImage']).toMatch(/^data:image\/jpeg;base64,/)
  })

  it('only reads in a dry run, which masks everything personal in every format, as update does', async () => {
    const home = freshHome()
    writePerson(home.folder)
    const service = await serveNewCustomer()
    const named = [...create, '--first-name', 'Zephyrine', '--last-name', 'Quillfeather']
    for (const command of [named, update]) {
      for (const format of ['json', 'table', 'yaml']) {
        const args = [...command, '-f', 'kyc.yaml', '--dry-run', '-o', format]
        const {code, out, err} = await run(home, args, {env: service.env})
        expect({code, err}).toEqual({code: 0, err: ''})
        expect(personalData.filter((word) => out.includes(word))).toEqual([])
        expect(out).toContain('data:image/jpeg;base64,… (161 KB)')
        expect(out.length).toBeLessThan(5000)
      }
    }
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'GET', 'GET'])
  })
})

describe('what verification is known to refuse', () => {
  it('is said alike by a dry run, create and update, which send nothing', async () => {
    const service = await serveNewCustomer()
    const home = writeCustomer((yaml) => expire(yaml).replace(/^nationality: .*\n/m, ''))
    const told = new Set<string>()
    for (const command of [create, [...create, '--dry-run'], update, [...update, '--dry-run']]) {
      const {code, out, err} = await run(home, [...command, '-f', 'kyc.yaml'], {env: service.env})
      expect({code, out}).toEqual({code: 2, out: ''})
      told.add(err)
    }
    expect([...told]).toEqual([
      expect.stringMatching(/There are 2 warnings\. Nothing was sent[^]*\(DOCUMENT_EXPIRED\)/),
    ])
    expect(service.requests.filter(({method}) => method !== 'GET')).toEqual([])
    const accepted = [...create, '-f', 'kyc.yaml', '--dry-run', '--accept-warnings']
    expect(await run(home, accepted, {env: service.env})).toMatchObject({code: 0})
  })

  it.each([
    ['n', 130, 0],
    ['y', 0, 1],
  ])('is sent by a person who types %s: code %i, %i sent', async (typed, code, sent) => {
    const service = await serveFirstCustomer(() => customer(1))
    const screen = onTerminal(writeCustomer(expire), [...create, '-f', 'kyc.yaml'], {cols: 200, env: service.env})
    await screen.waitFor('Send it all the same?')
    expect(screen.text()).toContain('(DOCUMENT_EXPIRED)')
    screen.type(`${typed}\r`)
    expect(await screen.ended).toBe(code)
    expect(service.requests.filter(({method}) => method === 'POST')).toHaveLength(sent)
  })
})

it('quotes an odd id once in the next command', () => {
  const made = itemResult({customerId: 'cus 1', customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})
  expect(describeNextStep(made, false)).toEqual([expect.stringContaining("`svc customers fix 'cus 1'`")])
})
