// What may be written in place of an id: the id, the beginning of one, an email, or, in a terminal, other words.
import {isUuid} from '../../contract/ids.ts'

// Shorter beginnings match by chance too often.
export const prefixLengthMin = 8

const uuidExample = '00000000-0000-0000-0000-000000000000'

// Whether the text is the beginning of a UUID, but not all of it.
export const isUuidPrefix = (text: string): boolean =>
  text.length >= prefixLengthMin &&
  text.length < uuidExample.length &&
  isUuid(`${text}${uuidExample.slice(text.length)}`)

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

// Names of things have several words more often than ids do. Only a guess about what to try first.
export const hasSpaces = (text: string): boolean => /\s/.test(text.trim())

// Ids are compared without regard to case, as UUIDs are. Two that differ in nothing else count as two matches.
export const startsWithIgnoringCase = (text: string, beginning: string): boolean =>
  text.toLowerCase().startsWith(beginning.toLowerCase())

// Whether the text is long enough to stand for an id that begins with it.
export const isIdBeginning = (text: string, id: string): boolean =>
  text.length >= prefixLengthMin && startsWithIgnoringCase(id, text)
