// A service that repeats the credential, in any encoding and anywhere in a reply: svc never prints
// it, keeps it, or passes it on to an agent.
import fs from 'node:fs'
import type http from 'node:http'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {startAgent} from '../features/mcp/agent.ts'
import {login} from '../features/profiles/logins.ts'
import {payment, route} from '../support/payments.ts'
import {servePayments} from '../support/scripted-service.ts'
import {customer, customerId, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createTestClient} from './raw-service.ts'

const toHex = (text: string, digits = 2) => (text.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')
const eachSign = (encode: (sign: string) => string) => (text: string) => text.replaceAll(/[^\da-z]/gi, encode)
const each = (encode: (sign: string) => string) => (text: string) => text.replaceAll(/./gs, encode)

const names: Record<string, string> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  '/': 'sol',
  '+': 'plus',
  '=': 'equals',
}
const toEntity = (sign: string) => (names[sign] ? `&${names[sign]};` : `&#${sign.codePointAt(0)};`)
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inBase64 = (before: string) => (text: string) => Buffer.from(before + text).toString('base64')
const toHalves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)]
const inHalves = (between: string) => (text: string) => toHalves(text).join(between)
const inPercents = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

type Encodings = Record<string, (text: string) => string>

const ofCharacters: Encodings = {
  plain: (text) => text,
  JSON: inJson,
  'JSON of PHP': (text) => inJson(text).replaceAll('/', '\\/'),
  'JSON of .NET': eachSign((sign) => `\\u${toHex(sign, 4).toUpperCase()}`),
  'JSON in JSON': (text) => inJson(inJson(text)),
  'each character in JSON': each((sign) => `\\u${toHex(sign, 4)}`),
  'HTML by name': eachSign(toEntity),
  'HTML in decimal': each((sign) => `&#0${sign.codePointAt(0)};`),
  'HTML in hexadecimal': eachSign((sign) => `&#x${toHex(sign)};`),
  'HTML in JSON': (text) => eachSign(toEntity)(text).replaceAll('&', '\\u0026'),
  URL: (text) => encodeURIComponent(text.toWellFormed()),
  'URL of each character': inPercents,
  'URL twice': (text) => encodeURIComponent(inPercents(text)),
  CSV: (text) => text.replaceAll('"', '""'),
  'escapes of JavaScript': each((sign) => (sign < '\u0100' ? `\\x${toHex(sign)}` : `\\u${toHex(sign, 4)}`)),
  capitals: (text) => text.toUpperCase(),
}

const ofBytes: Encodings = {
  base64: inBase64(''),
  'Basic authentication': inBase64('a:'),
  'Basic authentication of a longer name': inBase64('svc:'),
  'base64 of URLs': (text) => Buffer.from(`x${text}`).toString('base64url'),
  'base64 in a URL': (text) => encodeURIComponent(inBase64('')(text)),
  'base64 in lines': (text) => inBase64('')(text).replaceAll(/.{7}/g, '$&\r\n '),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'hexadecimal in capitals, behind a name': (text) => Buffer.from(`svc:${text}`).toString('hex').toUpperCase(),
}

// What a terminal does not show is left out where svc prints it.
const inParts: Encodings = {
  lines: inHalves('\n'),
  'with a tab': inHalves('\t'),
  'with a backspace': inHalves('\b'),
  'with a line separator': inHalves('\u2028'),
  'with a space of no width': inHalves('\u200B'),
  'with a mark of direction': inHalves('\u061C'),
  'with a tag': inHalves('\u{E0041}'),
  'with half a character': inHalves('\uD83D'),
  'with a colour': inHalves('\u001B[1m'),
  'with a colour of one byte': inHalves('\u009B1m'),
  'with a link': inHalves('\u001B]8;;https://example.com\u0007'),
  'with a title': inHalves('\u001B]0;title\u001B\\'),
  'with a character set': inHalves('\u001B(B'),
}

const encodings: Encodings = {...ofCharacters, ...ofBytes, ...inParts}

const token = [{alg: 'HS256'}, {sub: 'svc', exp: 9e9}, '"?>signature<?~'].map((part) =>
  Buffer.from(JSON.stringify(part)).toString('base64url'),
)
const credentials: Record<string, string> = {
  plain: 'sk_live_4f9d1c7e2b',
  base64: 'Zm9vYmFy/+8+aGVsbG8/d29ybGQ==',
  signs: `k&y<e>"y'/+=\\~^\``,
  'what looks like a pattern': '$&(a+)+[b]{2}.*?|$1\\d',
  'what looks encoded': 'a%2Bb&amp;c\\u002Fd\\"e""f',
  digits: '12345678901234567890',
  'a JWT': token.join('.'),
}

// Every encoding of one credential.
const listForms = (credential: string) => {
  const known = Object.entries(encodings).map(([name, encode]) => [name, encode(credential)] as const)
  return credential === token.join('.') ? [...known, ['signature', token[2] ?? ''] as const] : known
}

interface Echo {
  status: number
  type: string
  headers?: http.OutgoingHttpHeaders
  body: string
}

// Where a reply repeats a text. As raw text it may have escapes of the format that it stands in.
const places: Record<string, (text: string) => Echo> = {
  'an error': (text) => ({status: 400, type: 'json', body: JSON.stringify({error: 'BAD', message: `No ${text}.`})}),
  'an error with raw text': (text) => ({status: 401, type: 'json', body: `{"error":"NO","message":"No ${text}"}`}),
  'the code of an error': (text) => ({status: 403, type: 'json', body: JSON.stringify({error: text, message: 'No'})}),
  'the name of a field': (text) => ({status: 400, type: 'json', body: JSON.stringify({fields: {[text]: ['no']}})}),
  'a field that occurs twice': (text) => ({
    status: 400,
    type: 'json',
    body: `{"message":${JSON.stringify(text)},"message":"No"}`,
  }),
  'an error in parts': (text) => ({status: 400, type: 'json', body: JSON.stringify({message: toHalves(text)})}),
  text: (text) => ({status: 410, type: 'plain', body: `No ${text}\n`}),
  'a page': (text) => ({status: 404, type: 'html', body: `<html><body><h1>No</h1>Bearer ${text}</body></html>`}),
  'a redirect': (text) => ({
    status: 302,
    type: 'html',
    headers: {location: `/login/${encodeURI(text.toWellFormed())}`},
    body: text,
  }),
  'a reply that breaks off': (text) => ({
    status: 200,
    type: 'json',
    body: `{"customers":[{"name":${JSON.stringify(text)}`,
  }),
  'a reply of another form': (text) => ({status: 200, type: 'json', body: JSON.stringify({who: text, [text]: 1})}),
  'a list': (text) => ({
    status: 200,
    type: 'json',
    body: JSON.stringify({customers: [customer(1, {name: text, notes: [`Bearer ${text}`], nextToken: text})]}),
  }),
}

function sendEcho(response: http.ServerResponse, place: string, text: string): void {
  const {status, type, headers, body} = places[place]?.(text) ?? {status: 500, type: 'plain', body: ''}
  response.writeHead(status, {'content-type': type === 'json' ? 'application/json' : `text/${type}`, ...headers})
  response.end(body)
}

// Repeats the current text at the current place.
async function serveEcho() {
  const current = {place: '', text: ''}
  const {url, requests} = await serve((_, response) => sendEcho(response, current.place, current.text))
  return {url, current, requests}
}

// What svc keeps, without the place for credentials.
const readFiles = (folder: string) =>
  fs
    .readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(file).isFile() && path.basename(file) !== 'credentials.json')
    .map((file) => fs.readFileSync(file, 'utf8'))
    .join('\n')

// A form may stand in JSON, and the two halves of one apart.
const findLeaks = (printed: string, forms: ReturnType<typeof listForms>) =>
  forms
    .filter(([, form]) => {
      const spellings = [
        form,
        inJson(form),
        form.isWellFormed() ? encodeURI(form) : form,
        ...['; ', '","', ' '].map((mark) => inHalves(mark)(form)),
      ]
      return spellings.some((spelling) => printed.includes(spelling))
    })
    .map(([name]) => name)

const describeEnd = (request: Promise<unknown>) =>
  request.then(
    (reply) => JSON.stringify(reply),
    (error: Error) => [error.message, JSON.stringify(error), error.stack].join('\n'),
  )

describe('a credential that the service repeats', () => {
  it.each(Object.entries(credentials))('is hidden by the client in every encoding: %s', async (_, credential) => {
    const forms = listForms(credential)
    const {url, current} = await serveEcho()
    const seen: string[] = []
    const client = createTestClient(url, {
      credential: async () => credential,
      retriesReads: false,
      onUnreadBody: (text) => seen.push(text),
      onReply: ({text, json, headers}) => seen.push(JSON.stringify([text, json, headers.get('location')])),
      onContractViolation: (_endpoint, problems) => seen.push(JSON.stringify(problems)),
    })
    const leaks: string[] = []
    for (const place of Object.keys(places)) {
      for (const [encoding, form] of forms) {
        Object.assign(current, {place, text: form})
        seen.length = 0
        seen.push(await describeEnd(client.customers.list()))
        leaks.push(...findLeaks(seen.join('\n'), forms).map((found) => `${place}, ${encoding}: ${found}`))
      }
    }
    expect(leaks).toEqual([])
  })

  it.each(['plain', 'signs'])('is hidden by the client in one encoding over another: %s', async (name) => {
    const credential = credentials[name] ?? ''
    const {url, current} = await serveEcho()
    const client = createTestClient(url, {credential: async () => credential, retriesReads: false})
    const leaks: string[] = []
    for (const [inner, form] of listForms(credential).filter(([, text]) => text.isWellFormed())) {
      for (const [outer, encode] of Object.entries(ofCharacters)) {
        const forms = [['both', encode(form)] as const]
        for (const place of ['an error', 'a list']) {
          Object.assign(current, {place, text: encode(form)})
          const found = findLeaks(await describeEnd(client.customers.list()), forms)
          if (found.length > 0) leaks.push(`${place}: ${outer} over ${inner}`)
        }
      }
    }
    expect(leaks).toEqual([])
  })

  const commands = [
    ['customers', 'list'],
    ['customers', 'get', customerId(1)],
    ['whoami'],
    ['status'],
    ['doctor'],
    ['api', 'GET', '/customers'],
    ['api', 'POST', '/transactions', '--set', 'quoteId=1', '--yes'],
    ['pay', ...route, '--amount', '1', '--key', 'rent', '--yes'],
    ['login', '-p', 'acme', '--live'],
  ]

  it.each(commands)('is printed neither by svc %s %s, whatever the reply', async (...args) => {
    const credential = credentials['signs'] ?? ''
    const forms = listForms(credential)
    const {url, current, requests} = await serveEcho()
    const env = {SVC_BASE_URL: url, ...(args[0] !== 'login' && {SVC_API_KEY: credential})}
    for (const place of Object.keys(places)) {
      for (const flags of [[], ['--verbose', '--json'], ['-o', 'yaml']]) {
        Object.assign(current, {place, text: forms.map(([, form]) => form).join(' ')})
        const {out, err} = await run(freshHome(), [...args, ...flags], {env, input: credential})
        expect({place, flags, leaks: findLeaks(out + err, forms)}).toEqual({place, flags, leaks: []})
      }
    }
    expect(requests.length).toBeGreaterThanOrEqual(Object.keys(places).length)
  })
  it('reaches neither the journal nor an agent', async () => {
    const credential = credentials['signs'] ?? ''
    const forms = listForms(credential)
    const text = forms.map(([, form]) => form).join(' ')
    const service = await servePayments({apiKeys: [credential]})
    const home = freshHome()
    await login(home, 'acme', service.url, credential)
    const agent = await startAgent(home, '-p', 'acme')
    let [place, echoed, echoes] = ['', /^$/, 0]
    service.intercept = ({method, path: at}, response) => {
      if (!echoed.test(`${method} ${at}`)) return false
      echoes++
      sendEcho(response, place, text)
      return true
    }
    for (const [index, name] of Object.keys(places).entries()) {
      place = name
      const key = name.replaceAll(' ', '-')
      echoed = /^POST .transactions$/
      const {out, err} = await run(home, [...payment(key, `${index + 1}`), '--yes', '--timeout', '2s'])
      echoed = /^/
      await agent.call('customers_list')
      await agent.call('customer_get', {customer: customerId(1)})
      await agent.call('reconcile', {since: '1d'})
      await agent.call('journal_show', {key})
      const leaks = findLeaks([out, err, ...agent.heard.splice(0), readFiles(home.folder)].join('\n'), forms)
      expect({place, leaks, echoes: Math.min(echoes, 4)}).toEqual({place, leaks: [], echoes: 4})
      echoes = 0
    }
  })
})
