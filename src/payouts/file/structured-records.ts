// Reads a payout file in JSON lines, or as a list in YAML or JSON.
import {findRepeatedField, parseJson} from '../../values/json.ts'
import {type FileProblem, type PayoutRecord, type Records, toRecord, quoteValue} from './records.ts'

function collect(read: Iterable<ReturnType<typeof toRecord>>): Records {
  const records: PayoutRecord[] = []
  const problems: FileProblem[] = []
  for (const one of read) {
    if (one.record) records.push(one.record)
    problems.push(...one.problems)
  }
  return {records, problems, absent: new Set(), remarks: []}
}

export function parseLine(line: number, text: string): ReturnType<typeof toRecord> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return {problems: [{line, message: 'is not valid JSON'}]}
  }
  const repeated = findRepeatedField(text)
  if (repeated !== undefined) return {problems: [{line, message: `has the field ${quoteValue(repeated)} twice`}]}
  return toRecord(line, value)
}

export const parseJsonLines = (text: string): Records =>
  collect(
    text
      .split('\n')
      .map((line, index) => ({line: index + 1, text: line.trim()}))
      .filter((one) => one.text !== '')
      .map((one) => parseLine(one.line, one.text)),
  )

// Reads a list, or an object with a list under `payouts`. Numbers keep their digits.
export async function parseYaml(text: string): Promise<Records> {
  const [{isMap, isNode, isSeq}, {toData: dataOf, parseYaml: readYaml}] = await Promise.all([
    import('yaml'),
    import('../../values/yaml.ts'),
  ])
  const read = await readYaml(text, String)
  const {document, lineOf} = read
  const whole = read.problems.length > 0 ? undefined : dataOf(read)
  const problems = whole && 'problem' in whole ? [whole.problem] : read.problems
  if (problems.length > 0) return {records: [], problems, absent: new Set(), remarks: []}
  const {contents} = document
  const list = isMap(contents) ? contents.get('payouts') : contents
  if (!isSeq(list)) {
    const problem = {line: 1, message: 'is neither a list nor an object with a list under payouts'}
    return {records: [], problems: contents === null ? [] : [problem], absent: new Set(), remarks: []}
  }
  return collect(
    list.items.map((item) =>
      isNode(item)
        ? toRecord(lineOf(item.range?.[0]), item.toJS(document))
        : {problems: [{line: 1, message: 'an entry is empty'}]},
    ),
  )
}
