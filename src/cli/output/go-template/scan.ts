// Splits a template into text and actions, and an action into its words.
import {badUsage} from '../../../errors.ts'

export const templateError = (reason: string) =>
  badUsage(
    `--template is not valid: ${reason}`,
    '`svc docs output` lists what a template can contain; nothing was sent',
  )

export interface Part {
  kind: 'text' | 'action'
  text: string
}

// The end of an action. Text in quotes may contain braces.
function findEnd(template: string, from: number): number {
  const quoted = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|}}/g
  quoted.lastIndex = from
  for (let match = quoted.exec(template); match; match = quoted.exec(template)) {
    if (match[0] === '}}') return match.index
  }
  throw templateError('an action that begins with {{ has no }}')
}

// `{{-` removes the space before an action, and `-}}` the space after it.
export function splitTemplate(template: string): Part[] {
  const parts: Part[] = []
  let at = 0
  let trimsNext = false
  const addText = (text: string) => {
    const shown = trimsNext ? text.trimStart() : text
    if (shown !== '') parts.push({kind: 'text', text: shown})
  }
  for (let start = template.indexOf('{{'); start !== -1; start = template.indexOf('{{', at)) {
    const isComment = /^\{\{(?:- )?\/\*/.test(template.slice(start, start + 6))
    const end = isComment ? findCommentEnd(template, start) : findEnd(template, start + 2)
    const inner = template.slice(start + 2, end)
    const trimsBefore = /^-\s/.test(inner)
    addText(trimsBefore ? template.slice(at, start).trimEnd() : template.slice(at, start))
    trimsNext = /\s-$/.test(inner)
    if (!isComment)
      parts.push({kind: 'action', text: inner.slice(trimsBefore ? 1 : 0, trimsNext ? -1 : undefined).trim()})
    at = end + 2
  }
  addText(template.slice(at))
  return parts
}

function findCommentEnd(template: string, start: number): number {
  const closing = template.indexOf('*/', start)
  const end = closing === -1 ? -1 : template.indexOf('}}', closing)
  if (end === -1) throw templateError('a comment that begins with {{/* has no */}}')
  return end
}

export type Word =
  | {kind: 'field'; path: string[]}
  | {kind: 'variable'; name: string; path: string[]}
  | {kind: 'name'; name: string}
  | {kind: 'value'; value: unknown}
  | {kind: 'sign'; sign: '(' | ')' | '|' | ':=' | '=' | ','}

const wordPattern =
  /\s*(?:("(?:[^"\\\n]|\\.)*")|`([^`]*)`|(-?\d+(?:\.\d+)?)|(\$\w*)((?:\.\w+)*)|((?:\.[A-Za-z_]\w*)+|\.(?!\w))|([A-Za-z_]\w*)|(:=|[()|=,]))/y

const constants: Readonly<Record<string, unknown>> = {true: true, false: false, nil: null}

const splitPath = (path: string) => path.split('.').filter((name) => name !== '')

function parseQuoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    throw templateError(`${text} is not text in quotes`)
  }
}

function toWord([, quoted, raw, number, variable, path = '', field, name, sign]: RegExpExecArray): Word {
  if (quoted !== undefined) return {kind: 'value', value: parseQuoted(quoted)}
  if (raw !== undefined) return {kind: 'value', value: raw}
  if (number !== undefined) return {kind: 'value', value: JSON.rawJSON(number)}
  if (variable !== undefined) return {kind: 'variable', name: variable, path: splitPath(path)}
  if (field !== undefined) return {kind: 'field', path: splitPath(field)}
  if (name !== undefined && Object.hasOwn(constants, name)) return {kind: 'value', value: constants[name]}
  if (name !== undefined) return {kind: 'name', name}
  return {kind: 'sign', sign: sign as '('}
}

export function splitWords(action: string): Word[] {
  const words: Word[] = []
  wordPattern.lastIndex = 0
  while (wordPattern.lastIndex < action.trimEnd().length) {
    const at = wordPattern.lastIndex
    const match = wordPattern.exec(action)
    if (!match) throw templateError(`"${action.slice(at).trim()}" in {{${action}}} cannot be read`)
    words.push(toWord(match))
  }
  return words
}
