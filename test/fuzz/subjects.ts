// What reads foreign text, by name, for the tests that count its work.
import {Buffer} from 'node:buffer'
import {readErrorBody} from '../../src/client/failures.ts'
import {parseText} from '../../src/client/send-request.ts'
import {parseYaml, toData} from '../../src/values/yaml.ts'
import {cleanText} from '../../src/cli/output/clean.ts'
import {createCsvWriter, toJsonLine, toYaml} from '../../src/cli/output/formats.ts'
import {parseEvent} from '../../src/events/event.ts'
import {parseCsv, parseJsonLines} from '../../src/payouts/file/payout-file.ts'
import {redactBody} from '../../src/sandbox/service/log/request-log.ts'
import {validateDocumentBytes, validateDocumentImage} from '../../src/values/documents.ts'

const column = {name: 'a', header: 'A', rank: 0, value: (text: string) => text}

function parseReply(text: string): unknown {
  const parsed = parseText(text)
  return 'json' in parsed ? parsed.json : undefined
}

export const subjects: Readonly<Record<string, (text: string) => unknown>> = {
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

// Quadratic on purpose, to show that such work is noticed.
export const quadraticSubjects: typeof subjects = {
  'a search from each character': (text) => text.split('').filter((_, index) => text.indexOf('absent', index) !== -1),
  'a pattern from each character': (text) => text.split('').filter((_, index) => /absent/.test(text.slice(index))),
  'a loop in a loop': (text) => {
    let equal = 0
    for (const one of text) for (const other of text) if (one === other) equal++
    return equal
  },
}
