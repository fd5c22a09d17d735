// What a form says of a field that is missing or wrong: whole sentences that name the field.
import type {Field} from '../../forms/fields.ts'
import {lowerFirst} from '../../values/text.ts'

// An abbreviation such as IBAN keeps its capitals within a sentence.
export const continueSentence = (text: string) => (/^[A-Z]{2}/.test(text) ? text : lowerFirst(text))

// Labels that are a question or a part of one do not fit into a sentence, so they are quoted.
const isClause = ({label, noun}: Field) => noun === undefined && /^(?:how|what|where|which)\b/i.test(label)

// "Last name, as on the ID" is called the last name.
const getNoun = ({label, noun}: Field) => noun ?? continueSentence(label.replace(/,.*/, ''))

// The beginning of a sentence such as "The postal code must have five digits".
const describeSubject = (field: Field) => (isClause(field) ? `“${field.label}”` : `The ${getNoun(field)}`)

const verbs: Partial<Record<Field['kind'], string>> = {
  country: 'Choose',
  'one-of': 'Choose',
  coded: 'Choose',
  'several-coded': 'Choose at least one of',
  file: 'Add',
}

export function describeMissing(field: Field): string {
  if (field.kind === 'yes-no') return `Answer yes or no: ${continueSentence(field.label)}`
  if (isClause(field)) return `Answer the question “${field.label}”`
  return `${verbs[field.kind] ?? 'Enter'} the ${getNoun(field)}`
}

// Who fills in a form types a telephone number in any way, and never heard of E.164.
const phoneMessage = 'must begin with + and the code of its country, such as +15551234567'

// A form has no JSON types, so a wrong type is described by what the field expects. `message` continues the name of the field.
export function describeWrong(field: Field, message: string, isWrongType: boolean): string {
  if (field.kind === 'yes-no' && isWrongType) return describeMissing(field)
  if (field.kind === 'number' && isWrongType) return `${describeSubject(field)} must be a number`
  const isPhoneFormat = field.kind === 'phone' && message.startsWith('must be a phone number in E.164')
  return `${describeSubject(field)} ${isPhoneFormat ? phoneMessage : message}`
}
