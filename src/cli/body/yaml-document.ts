// YAML that a person or a program wrote, read with care: what is wrong in it is said with its line and without its words,
// since these may be personal data, and nothing in it is dropped or expanded without end.
import type {Document, ScalarTag, Tags} from 'yaml'
import {isNestedTooDeep} from '../../validation/exact-json.ts'

// What to make of a number that stands in YAML without quotes, such as 02139 or +15551234567.
export type ReadNumber = (source: string) => unknown

export interface YamlProblem {
  line: number
  message: string
}

export interface ParsedYaml {
  document: Document
  lineOf: (offset: number | undefined) => number
  // Everything that is wrong. Where there is something, the document is not to be used.
  problems: YamlProblem[]
}

const tooDeep = 'is nested too deeply'

// The library's own sentences repeat what stands in the file in these cases.
const messagesByCode: Readonly<Record<string, string>> = {
  TAG_RESOLVE_FAILED: 'has a tag that svc does not know',
  BAD_COLLECTION_TYPE: 'has a tag that svc does not know',
  UNEXPECTED_TOKEN: 'holds something that does not belong there',
  BAD_ALIAS: 'names an anchor that is not there',
  BAD_DIRECTIVE: 'has a directive that svc does not know',
  BAD_DQ_ESCAPE: 'has an escape sequence that YAML does not know',
  IMPOSSIBLE: 'is not well formed',
  NON_STRING_KEY: 'has a key that is not text',
  RESOURCE_EXHAUSTION: tooDeep,
}

export const isNumeric = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag === 'object' && /:(int|float)$/.test(tag.tag)

export async function parseYaml(text: string, readNumber?: ReadNumber): Promise<ParsedYaml> {
  const {LineCounter, parseDocument} = await import('yaml')
  const lineCounter = new LineCounter()
  const lineOf = (offset: number | undefined) => lineCounter.linePos(offset ?? 0).line
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    logLevel: 'error',
    stringKeys: true,
    ...(readNumber && {
      customTags: (tags: Tags) => tags.map((tag) => (isNumeric(tag) ? {...tag, resolve: readNumber} : tag)),
    }),
  })
  const found = [...document.errors, ...document.warnings].map(({code, message, pos}) => ({
    line: lineOf(pos[0]),
    message: messagesByCode[code] ?? message.split('\n', 1)[0] ?? code,
  }))
  const problems = found.length > 0 ? found : await aliasProblems(document, lineOf)
  return {document, lineOf, problems}
}

// An alias of what it stands in would go on for ever, and one of nothing has no value.
async function aliasProblems(document: Document, lineOf: ParsedYaml['lineOf']): Promise<YamlProblem[]> {
  const {visit} = await import('yaml')
  const problems: YamlProblem[] = []
  try {
    visit(document, {
      Alias(_, alias, path) {
        const meant = alias.resolve(document)
        const line = lineOf(alias.range?.[0])
        if (!meant) problems.push({line, message: messagesByCode['BAD_ALIAS'] ?? ''})
        else if (path.includes(meant)) problems.push({line, message: 'holds itself, through an alias'})
      },
    })
  } catch (error) {
    if (!isNestedTooDeep(error)) throw error
    problems.push({line: 1, message: tooDeep})
  }
  return problems
}

// The data of a document without problems. Aliases that would grow it without end are refused.
export function toData({document}: ParsedYaml): {data: unknown} | {problem: YamlProblem} {
  try {
    return {data: document.toJS()}
  } catch (error) {
    if (isNestedTooDeep(error)) return {problem: {line: 1, message: tooDeep}}
    if (error instanceof ReferenceError) return {problem: {line: 1, message: 'uses its aliases too often'}}
    throw error
  }
}
