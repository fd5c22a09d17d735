// Keeps text from the service from controlling the terminal: control, escape and bidirectional characters are never printed raw.
import {escapeUnits} from '../../values/text.ts'

// Printable ASCII contains nothing of what is removed or escaped below. Most text is that, and V8 takes longer to prepare the
// expressions below than to print a short list, so each is in the function that uses it.
const isPlain = (text: string) => !/[^\x20-\x7E]/.test(text)

// For tables, records, CSV and messages: removes escape sequences and unsafe characters, and turns line breaks into spaces.
export function cleanText(text: string): string {
  if (isPlain(text)) return text
  // Escape sequences, by ECMA-48: a control sequence (CSI), a control string (OSC, DCS and the like) with its content, or an
  // escape with one final character. Each begins with a control character and goes on without one, so no text is scanned twice.
  const escapeSequences =
    // oxlint-disable-next-line no-control-regex -- They are what it removes.
    /(?:\u001B\[|\u009B)[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u007E]|(?:\u001B[P\]X^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u009C|\u001B\\)|\u001B[\u0020-\u002F]*[\u0030-\u007E]/gu
  const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
  // Control and format characters, lone surrogates, and the two line separators that some terminals obey. A zero-width joiner
  // between two emoji combines them into one, such as a family. Anywhere else it could hide text.
  const unsafe =
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029](?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?\u200D(?=\p{Extended_Pictographic}))/gu
  return text.replace(escapeSequences, '').replace(lineBreaks, ' ').replace(unsafe, '')
}

// The escapes of YAML: other parsers than ours read no surrogate pairs, and accept no noncharacters.
const bmpMax = 0xff_ff

function escapeForYaml(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point > bmpMax ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`
}

// As escapeUnsafe, for YAML. What it changes must stand in double quotes.
export function escapeUnsafeYaml(text: string): string {
  const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/gu
  return text.replace(unsafe, (character) => (character === '\n' ? character : escapeForYaml(character)))
}

// For JSON: escapes unsafe characters, so that the data stays complete. Line breaks are layout and are kept; those
// inside strings are escaped already.
export function escapeUnsafe(text: string): string {
  if (!/[^\n\x20-\x7E]/.test(text)) return text
  const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
  return text.replace(unsafe, (character) => (character === '\n' ? character : escapeUnits(character)))
}
