// Keeps text from the service from controlling the terminal: control, escape and bidirectional characters are never printed raw.
import {escapeUnits, removeUnseen} from '../../values/text.ts'

// For tables, records, CSV and messages: removes escape sequences and unsafe characters, and turns line breaks into spaces.
export const cleanText = (text: string): string => removeUnseen(text, ' ')

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
