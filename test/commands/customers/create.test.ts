// svc customers create: in a terminal, in a pipe, as JSON, from files and flags, and rejected.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, serveFirstCustomer} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {indent, kycYaml, personalData, writePerson} from '../../support/person.ts'

const create = ['customers', 'create', '-p', 'sandbox']
const ada = ['--type', 'INDIVIDUAL', '--email', 'ada@example.com']

interface Shown {
  method: string
  path: string
  body: {kycData: {documents: Array<Record<string, string>>; address: Record<string, string>}}
}

const readRequest = (out: string) => JSON.parse(out) as Shown

describe('svc customers create', () => {
  it('sends exactly what --dry-run --reveal shows', async () => {
    const service = await serveFirstCustomer(() => customer(1))
    const home = freshHome()
    const {passport} = writePerson(path.join(home.folder, 'papers'))
    const given = ['customers', 'create', ...ada, '-f', 'papers/kyc.yaml']
    const shown = await run(home, [...given, '--dry-run', '--reveal'])
    expect(shown).toMatchObject({code: 0, err: ''})
    await run(home, given, {env: service.env})
    expect(service.requests.map((request) => request.method)).toEqual(['GET', 'POST'])
    const {method, path: target, body} = readRequest(shown.out)
    expect({method, target}).toEqual({method: 'POST', target: '/customers'})
    expect(service.requests[1]).toMatchObject({method, path: target, body: JSON.stringify(body)})
    expect(body.kycData.address['postalCode']).toBe('02139')
    expect(body.kycData.documents[0]?.['frontIdImage']).toBe(`data:image/jpeg;base64,${passport.toString('base64')}`)
  })

  it('masks everything personal in a dry run, which needs no profile and no network', async () => {
    const home = freshHome()
    const {file} = writePerson(home.folder)
    const flags = ['--type', 'INDIVIDUAL', '--email', 'zephyrine@example.com', '--first-name', 'Zephyrine']
    for (const format of ['json', 'table', 'yaml']) {
      const args = ['customers', 'create', '--dry-run', '-f', file, '--last-name', 'Quillfeather', '-o', format]
      const {code, out, err} = await run(home, [...args, ...flags])
      expect({code, err}).toEqual({code: 0, err: ''})
      expect(personalData.filter((word) => out.includes(word))).toEqual([])
      expect(out).toContain('GOVERNMENT_ID')
      expect(out).toContain('data:image/jpeg;base64,… (161 KB)')
      expect(out.length).toBeLessThan(5000)
    }
  })

  it('lets flags override the file, and --set override both', async () => {
    const home = freshHome()
    writePerson(path.join(home.folder, 'papers'))
    fs.writeFileSync(
      path.join(home.folder, 'papers', 'back.png'),
      fs.readFileSync(path.join(home.folder, 'papers/passport.jpg')),
    )
    const whole = `customerType: BUSINESS\nemail: old@example.com\nkycData:\n${indent(kycYaml)}`
    fs.writeFileSync(path.join(home.folder, 'papers/whole.yaml'), whole)
    const sets = [
      'email=new@example.com',
      'kycData.documents[0].backIdImage=./papers/back.png',
      'kycData.documents[1].type=PROOF_OF_ADDRESS',
    ]
    const files = 'customers create -f papers/whole.yaml --type INDIVIDUAL'.split(' ')
    const flags = [...sets.flatMap((set) => ['--set', set]), '--dry-run', '--reveal', '--accept-warnings']
    const {out, err} = await run(home, [...files, ...flags])
    expect(err.match(/\([A-Z_]+\)/g)).toEqual(['(DOCUMENT_NOT_FOUND)', '(MISSING_ISSUE_DATE)'])
    const {body} = readRequest(out)
    expect(body).toMatchObject({customerType: 'INDIVIDUAL', email: 'new@example.com'})
    expect(body.kycData).toMatchObject({address: {city: 'Fernhollow', postalCode: '02139'}})
    expect(body.kycData.documents[0]?.['backIdImage']).toMatch(/^data:image\/jpeg;base64,/)
    expect(body.kycData.documents[1]).toEqual({type: 'PROOF_OF_ADDRESS'})
  })

  it('exits with 7 when the reply is lost and nobody looks, and says how to check without personal data', async () => {
    const home = freshHome()
    const faults = ['sandbox', 'faults', 'add', '--method', 'POST', '--path', '/customers', '--kind', 'lose']
    await run(home, [...faults, '--times', '1'])
    const lost = ['--type', 'INDIVIDUAL', '--email', 'lost@example.com', '--json']
    const {code, out, err} = await run(home, [...create, ...lost, '--allow-duplicates'])
    expect({code, out}).toEqual({code: 7, out: ''})
    expect(json(err)).toMatchObject({
      error: 'OUTCOME_UNKNOWN',
      hint: 'Look for the email in `svc customers list --all -p sandbox` before you create the customer again.',
    })
    expect(err).not.toContain('lost@example.com')
    const listed = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '-o', 'csv'])
    expect(listed.out).toContain('lost@example.com')
  })
})

describe('the next step at a terminal', () => {
  const person = [...ada, '--first-name', 'Ada', '--last-name', 'Example']

  it('is the form or the data after a customer without data', async () => {
    const screen = onTerminal(freshHome(), [...create, ...person], {cols: 300})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/Next: the customer fills in the form, which `svc open \S+ -p sandbox` opens/)
    expect(screen.text()).toMatch(/`svc customers update \S+ -p sandbox` submits the data/)
    expect(screen.text()).toMatch(/`svc sandbox verify \S+ --outcome approved` approves the customer/)
  })
})
