// Long and deep input from others is handled in linear time.
import {Buffer} from 'node:buffer'
import {describe, expect, it} from 'vitest'
import {cleanText} from '../../src/cli/output/clean.ts'
import {createCsvWriter, toJsonLine, toYaml} from '../../src/cli/output/formats.ts'
import {readErrorBody} from '../../src/client/failures.ts'
import {parseText} from '../../src/client/send-request.ts'
import {parseEvent} from '../../src/events/event.ts'
import {parseCsv, parseJsonLines} from '../../src/payouts/file/payout-file.ts'
import {redactBody} from '../../src/sandbox/service/log/request-log.ts'
import {validateDocumentBytes, validateDocumentImage} from '../../src/values/documents.ts'
import {parseJson} from '../../src/values/json.ts'
import {parseYaml, toData} from '../../src/values/yaml.ts'
import {createCustomer, openTemporary, requestTo} from '../sandbox/open.ts'
import {getLink, individual, sendForm} from '../sandbox/forms/fill-form.ts'
import {reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'

const count = 300_000
const unitsCount = 40_000
// A tenth of a second at most where the work grows with the length; many seconds where it grows with the square of it.
const cpuMaxMs = 3_000

const column = {name: 'a', header: 'A', rank: 0, value: (text: string) => text}

function parseReply(text: string): unknown {
  const parsed = parseText(text)
  return 'json' in parsed ? parsed.json : undefined
}

const subjects: Readonly<Record<string, (text: string) => unknown>> = {
  'a reply': (text) => readErrorBody(parseReply(text), text),
  'a message of an error': (text) => readErrorBody({error: text, message: text, errors: [text]}, undefined),
  YAML: async (text) => {
    const parsed = await parseYaml(text)
    return parsed.problems.length > 0 ? undefined : toData(parsed)
  },
  'a payout file in CSV': parseCsv,
  'a payout file in JSON lines': parseJsonLines,
  'an event': (text) => parseEvent(Buffer.from(text)),
  'a logged body': (text) => redactBody({message: text, [text]: text}),
  'a document': (text) => validateDocumentBytes('a', Buffer.from(`\u0089PNG\r\n\u001A\n${text}`, 'latin1')),
  'a data URI': (text) => validateDocumentImage('a', `data:image/png;base64,${text}`),
  'a table': cleanText,
  'CSV that svc writes': async (text) => (await createCsvWriter([column])).rows([text]),
  'JSON that svc writes': (text) => toJsonLine({[text]: text}),
  'YAML that svc writes': (text) => toYaml({a: text}),
}

const units = [
  '.',
  'a',
  '"',
  '\\',
  '1 ',
  '+1',
  '(',
  '; ',
  '. ',
  ',',
  '\n',
  '\t',
  '=',
  '[',
  '{"a":',
  '- ',
  'a: ',
  '&a ',
  '*a ',
  '# ',
  ': ',
  '\u001B',
  '\u001B]8;;',
  '\u001B[1;',
  '\u009B;',
  '\u009D',
  ';1',
  '👩\u200D',
  '\u2028',
  '\u0085',
  '\uD800',
  '<a>;',
  '"a","b"\r\n',
]

describe('long text', () => {
  it.each(Object.keys(subjects))('is handled as %s', async (name) => {
    for (const unit of units) {
      const before = process.cpuUsage()
      await subjects[name]?.(unit.repeat(unitsCount))
      expect(process.cpuUsage(before).user / 1_000, JSON.stringify(unit)).toBeLessThan(cpuMaxMs)
    }
  })

  it('of dots in the message of an error is cut', async () => {
    const message = `No${'.'.repeat(count)}x${'.'.repeat(count)}`
    const service = await serve((_, response) => reply(response, 400, {error: 'BAD_REQUEST', message, statusCode: 400}))
    const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expect(code).toBe(3)
    expect(err.slice(-6)).toBe('....…\n')
  })

  it('with numbers under many names is parsed', () => {
    const text = `{${Array.from({length: count / 10}, (_, index) => `"name${index}":1`).join(',')},"a":1.50}`
    expect((parseJson(text) as {a: unknown}).a).toEqual(JSON.rawJSON('1.50'))
  })

  it('of repeated form fields is refused', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const field = {'kycData.legalFirstName': Array.from({length: 20_000}, () => 'a')}
    const {status} = await sendForm(sandbox, getLink(customer), field)
    expect(status).toBe(400)
  })
})

describe('deep JSON', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  it('is refused by the sandbox', async () => {
    const sandbox = openTemporary()
    for (const body of [deep(count), `{"email":${deep(count)}}`]) {
      const response = await sandbox.fetch(requestTo(sandbox, 'POST', '/customers', body))
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('nested too deeply')])
    }
  })

  it('is cut off in the request log', () => {
    expect(redactBody(JSON.parse(deep(100_000)))).toBe('[[[[[[[[["…"]]]]]]]]]')
  })
})
