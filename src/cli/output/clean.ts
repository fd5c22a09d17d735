// Keeps what the service sends from steering a terminal: no control, escape or bidirectional character leaves svc raw.
import {stripVTControlCharacters} from 'node:util'

// Control and format characters, halves of characters, and the two line separators that some terminals obey.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
// The joiner between two emoji makes one of them, such as a family; anywhere else it hides.
const unsafeInText =
  /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029](?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?\u200D(?=\p{Extended_Pictographic}))/gu
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

// For tables, records, CSV and messages: whole escape sequences go, line breaks become spaces, the rest is dropped.
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replace(lineBreaks, ' ').replace(unsafeInText, '')
}

const escapeUnits = (characters: string) =>
  [...Array(characters.length).keys()]
    .map((index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

// For text in which JSON escapes are valid wherever such a character can stand: the data stays whole and readable.
// Line breaks are the writer's own: those inside strings were escaped before this.
export function escapeUnsafe(text: string): string {
  return text.replace(unsafe, (character) => (character === '\n' ? character : escapeUnits(character)))
}
