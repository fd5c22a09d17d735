// Hides the credential in what a service sends, however the service encodes it: a service that
// repeats the credential which it refuses would otherwise put it into an output, an error or a log.
import {removeUnseen} from '../values/text.ts'

// Shorter text is not a secret, and would match ordinary words.
const credentialLengthMin = 8
const substitute = '[credential]'
// How many encodings may lie over one another, such as %-encoding in HTML in JSON.
const encodingDepthMax = 4

// Each character with the name that HTML has for it.
const namedCharacters = `&amp <lt >gt "quot 'apos /sol \\bsol +plus =equals _lowbar #num $dollar %percnt *ast ,comma .period :colon
;semi !excl ?quest @commat (lpar )rpar [lsqb ]rsqb {lcub }rcub |verbar ^hat \`grave -hyphen`
const namedEntities = new Map(namedCharacters.split(/\s/).map((word) => [word.slice(1), word.slice(0, 1)]))

const encodings = [
  // Escapes of JSON and JavaScript, with those of line breaks and tabs.
  /\\(?:u([\da-f]{4})|x([\da-f]{2})|([^\dac-eg-mo-qsu-z]))/,
  /((?:%[\da-f]{2})+)/,
  // HTML entities, by number and by name.
  /&(?:#x0*([\da-f]{1,6})|#0*(\d{1,7})|([a-z]{2,7}));?/,
  // The doubled quotes of CSV.
  /""/,
]
const encoded = new RegExp(encodings.map(({source}) => source).join('|'), 'gi')
// Signs that letters or digits may be encoded too, or stand apart.
const encodedThroughout = /\\[bfnrtux]|%(?:25)*(?:[\da-f]{2}%|5c|[01][\da-f])|&(?:amp;)*#/i
const unseen = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/u
const isEncodedThroughout = (text: string) =>
  encodedThroughout.test(text) || (/[^\t\n\r\x20-\x7E]/.test(text) && unseen.test(text))

function decode(text: string): string {
  return text.replace(encoded, (found, ...groups: Array<string | undefined>) => {
    const [unicode, byte, escaped, percents, hexadecimal, decimal, name] = groups
    if (escaped !== undefined) return /[bfnrt]/i.test(escaped) ? '\n' : escaped
    if (percents !== undefined) return Buffer.from(percents.replaceAll('%', ''), 'hex').toString()
    if (name !== undefined) return namedEntities.get(name.toLowerCase()) ?? found
    if (found === '""') return '"'
    const code = decimal === undefined ? Number.parseInt(unicode ?? byte ?? hexadecimal ?? '', 16) : Number(decimal)
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : found
  })
}

// Removes the characters that svc does not print, and line breaks with what indents the next line.
const joinParts = (text: string) => removeUnseen(text.replaceAll(/[\r\n]+[\t ]*/g, ''), '')

// The forms that base64 gives the credential behind any number of other bytes, as in Basic
// authentication, without the characters that depend on what is beside it.
function* listBase64Forms(credential: string): Generator<string> {
  for (const [before, start] of [0, 2, 3].entries()) {
    const bytes = Buffer.from(' '.repeat(before) + credential)
    const form = bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6))
    yield form
    yield form.replaceAll('+', '-').replaceAll('/', '_')
  }
}

// A JWT begins with a JSON object in base64. It is useless without its signature.
const jwtSignature = /^eyJ[\w-]+\.[\w-]+\.([\w-]{16,})$/

// The texts that give the credential away once they are decoded.
function listForms(credential: string): string[] {
  const signature = jwtSignature.exec(credential)?.[1]
  const forms = new Set([credential, ...(signature ? [signature] : []), ...listBase64Forms(credential)])
  forms.add(Buffer.from(credential).toString('hex'))
  // The credential itself may contain what looks encoded.
  for (const form of forms) if (forms.size < 30) forms.add(decode(form))
  return [...forms].toSorted((one, other) => other.length - one.length)
}

export interface CredentialHider {
  // Text in which the credential was encoded is returned decoded.
  hideInText: (text: string) => string
  // Returns the value itself if the credential is not in it.
  hideInJson: (value: unknown) => unknown
  // Whether the text may have the credential. Costs next to nothing.
  mayBeIn: (text: string) => boolean
}

export function createCredentialHider(credential: string): CredentialHider {
  if (credential.length < credentialLengthMin)
    return {hideInText: (text) => text, hideInJson: (value) => value, mayBeIn: () => false}
  const forms = listForms(credential)
  const pattern = new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'gi')
  // Few services encode letters and digits.
  const signs = forms.map((form) =>
    (form.toLowerCase().match(/[\da-z]+/g) ?? ['']).reduce((a, b) => (b.length > a.length ? b : a)),
  )

  const hideInText = (text: string): string => {
    let shown = text.replace(pattern, substitute)
    let encodedText = shown
    for (let depth = 0; depth < encodingDepthMax; depth++) {
      const before = encodedText
      for (const change of [joinParts, decode]) {
        const changed = change(encodedText)
        encodedText = changed.replace(pattern, substitute)
        if (encodedText !== changed) shown = encodedText
      }
      if (encodedText === before) break
    }
    return shown
  }
  const hideInJson = (value: unknown): unknown => {
    if (typeof value === 'string') return hideInText(value)
    // A message in parts, which are shown one after the other.
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) {
      const parts = value.map(hideInText)
      const [joined, hidden] = [parts.join(''), hideInText(parts.join(''))]
      if (hidden !== joined) return [hidden]
    }
    if (typeof value === 'number' || JSON.isRawJSON(value)) {
      const digits = JSON.stringify(value)
      const hidden = digits.replace(pattern, substitute)
      return hidden === digits ? value : hidden
    }
    if (typeof value !== 'object' || value === null) return value
    const before = Object.entries(value)
    const after = before.map(([name, inner]) => [hideInText(name), hideInJson(inner)] as const)
    if (after.every(([name, inner], index) => name === before[index]?.[0] && inner === before[index][1])) return value
    return Array.isArray(value) ? after.map(([, inner]) => inner) : Object.fromEntries(after)
  }
  return {
    hideInText,
    hideInJson,
    mayBeIn(text) {
      const folded = text.toLowerCase()
      return isEncodedThroughout(text) || signs.some((sign) => folded.includes(sign))
    },
  }
}
