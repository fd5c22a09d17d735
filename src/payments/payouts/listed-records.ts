// A payout file as a program writes it: one JSON object a line, or a list in YAML or JSON.
import type {ScalarTag, Tags} from 'yaml'
import {parseJson} from '../../checks/exact-json.ts'
import {repeatedFieldIn} from '../../checks/repeated-field.ts'
import {type FileProblem, type PayoutRecord, type Records, recordOf, shown} from './records.ts'

function gathered(read: Iterable<ReturnType<typeof recordOf>>): Records {
  const records: PayoutRecord[] = []
  const problems: FileProblem[] = []
  for (const one of read) {
    if (one.record) records.push(one.record)
    problems.push(...one.problems)
  }
  return {records, problems, absent: new Set(), remarks: []}
}

function readLine(line: number, text: string): ReturnType<typeof recordOf> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return {problems: [{line, message: 'is not valid JSON'}]}
  }
  const repeated = repeatedFieldIn(text)
  if (repeated !== undefined) return {problems: [{line, message: `has the field ${shown(repeated)} twice`}]}
  return recordOf(line, value)
}

export const jsonLineRecords = (text: string): Records =>
  gathered(
    text
      .split('\n')
      .map((line, index) => ({line: index + 1, text: line.trim()}))
      .filter((one) => one.text !== '')
      .map((one) => readLine(one.line, one.text)),
  )

const isNumeric = (tag: Tags[number]): tag is ScalarTag => typeof tag === 'object' && /:(int|float)$/.test(tag.tag)

// A list, or an object that has one under `payouts`. Digits stay as they are written.
export async function yamlRecords(text: string): Promise<Records> {
  const {LineCounter, isMap, isNode, isSeq, parseDocument} = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    customTags: (tags: Tags) => tags.map((tag) => (isNumeric(tag) ? {...tag, resolve: String} : tag)),
  })
  const {contents, errors} = document
  const lineOf = (offset: number | undefined) => lineCounter.linePos(offset ?? 0).line
  if (errors.length > 0) {
    const problems = errors.map(({pos, message}) => ({
      line: lineOf(pos[0]),
      message: message.split('\n', 1)[0]?.replace(/( at line .*)?:$/, '') ?? message,
    }))
    return {records: [], problems, absent: new Set(), remarks: []}
  }
  const list = isMap(contents) ? contents.get('payouts') : contents
  if (!isSeq(list)) {
    const problem = {line: 1, message: 'is neither a list nor an object with a list under payouts'}
    return {records: [], problems: contents === null ? [] : [problem], absent: new Set(), remarks: []}
  }
  return gathered(
    list.items.map((item) =>
      isNode(item)
        ? recordOf(lineOf(item.range?.[0]), item.toJS(document))
        : {problems: [{line: 1, message: 'an entry is empty'}]},
    ),
  )
}
