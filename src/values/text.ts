// Words and sentences: formatted for people, searched as they type, quoted for their shell, with commands to be copied.

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

export const endSentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`)

// Those that there are, one after the other.
export const joinSentences = (texts: ReadonlyArray<string | undefined>): string =>
  texts
    .filter((text) => text !== undefined)
    .map(endSentence)
    .join(' ')

// The escapes of JSON, such as \u200b.
export const escapeUnits = (characters: string) =>
  [...Array(characters.length).keys()]
    .map((index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')

// Printable ASCII contains nothing of what is removed below. Most text is that, and V8 takes longer
// to prepare these expressions than to print a short list, so they are in the function.
const isPlain = (text: string) => !/[^\x20-\x7E]/.test(text)

// Removes what a terminal obeys or does not show: escape sequences and unsafe characters. Line
// breaks become `lineBreak`.
export function removeUnseen(text: string, lineBreak: string): string {
  if (isPlain(text)) return text
  // Escape sequences, by ECMA-48: a control sequence (CSI), a control string (OSC, DCS and the like)
  // with its content, or an escape with one final character. Each begins with a control character
  // and goes on without one, so no text is scanned twice.
  const escapeSequences =
    // oxlint-disable-next-line no-control-regex -- They are what it removes.
    /(?:\u001B\[|\u009B)[\u0030-\u003F]*[\u0020-\u002F]*[\u0040-\u007E]|(?:\u001B[P\]X^_]|[\u0090\u0098\u009D-\u009F])\P{Cc}*(?:\u0007|\u009C|\u001B\\)|\u001B[\u0020-\u002F]*[\u0030-\u007E]/gu
  const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
  // Control and format characters, lone surrogates, and the two line separators that some terminals
  // obey. A zero-width joiner between two emoji combines them into one, such as a family. Anywhere
  // else it could hide text.
  const unsafe =
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029](?<!\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?\u200D(?=\p{Extended_Pictographic}))/gu
  return text.replace(escapeSequences, '').replace(lineBreaks, lineBreak).replace(unsafe, '')
}

// 1 row, 2 rows.
export const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

// A, B or C. The format is created when it is needed, because that loads the data of the language, which takes as long as a
// request.
export const joinWithOr = (values: readonly string[]): string =>
  new Intl.ListFormat('en-GB', {type: 'disjunction'}).format(values)

// "angstrom" finds Ångström.
export const foldCase = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()

// Whether the text has every word of the term; capitals and accents do not count. It has those of an empty term.
export function hasWords(text: string, term: string): boolean {
  const folded = foldCase(text)
  return foldCase(term.trim())
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

// A shell expands a tilde, also after a colon in an assignment, and some shells a word that begins with =.
const plainWord = /^[\w.+/:,@%][\w.+/=:,@%-]*$/

// Text from the service, so that it can be pasted into a shell safely.
export const quoteForShell = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

// The profile that was named for this command, which has to be named for the next one too.
let named: string | undefined

// Undefined if the next command uses the same profile by itself.
export function suggestProfile(name: string | undefined): void {
  named = name
}

export const nameProfile = (command: string): string =>
  named === undefined ? command : `${command} -p ${quoteForShell(named)}`

type Words = string | readonly string[]

// A command on the service, such as svc`pay --key ${key}`, as it stands in a sentence: in backquotes, to be copied, its values quoted
// for a shell, with the profile.
export function svc(parts: TemplateStringsArray, ...values: readonly Words[]): string {
  const words = values.map((value) => [value].flat().map(quoteForShell).join(' '))
  return `\`${nameProfile(`svc ${String.raw({raw: parts}, ...words)}`)}\``
}

// Words of a code that are written in capitals. Codes of two or three letters, such as ACH, SSN and LLC, are such words by themselves.
const capitals: ReadonlySet<string> = new Set(['id', 'llc', 'llp', 'usd', 'sepa', 'b', 'c', 's'])

const otherwiseWorded: Readonly<Record<string, string>> = {SELF_EMPLOYED: 'Self-employed'}

const groupDigits = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')

// The words of a code, such as Needs additional information, C corporation, or 10,000 to 49,999 for BETWEEN_10000_49999.
export function codeToWords(code: string): string {
  if (!/^[A-Z\d]+(_[A-Z\d]+)*$/.test(code) || /^([A-Z]{2,3}|\d+)$/.test(code)) return code
  const exception = otherwiseWorded[code]
  if (exception !== undefined) return exception
  const words = code
    .replace(/^BETWEEN_(\d+)_(\d+)$/, '$1_TO_$2')
    .toLowerCase()
    .split('_')
    .map((word) => (capitals.has(word) ? word.toUpperCase() : word.replace(/^(\d+)k$/, '$1000')))
    .map((word) => (/^\d{4,}$/.test(word) ? groupDigits(word) : word))
  return capitalize(words.join(' '))
}

// Takes the same time wherever the two differ. Most commands compare nothing, and need not load the module.
export function isEqualSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && process.getBuiltinModule('node:crypto').timingSafeEqual(a, b)
}
