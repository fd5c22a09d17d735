// Texts with control characters that a hostile service may send, and a check that none of them are in the output.

const hostile: Readonly<Record<string, string>> = {
  colour: 'a\u001B[31mred\u001B[0m',
  clear: 'a\u001B[2J\u001B[Hb',
  title: 'a\u001B]0;owned\u0007b',
  link: 'a\u001B]8;;https://evil.example\u001B\\text\u001B]8;;\u001B\\b',
  clipboard: 'a\u001B]52;c;ZXZpbA==\u0007b',
  unfinished: 'a\u001B]8;;never ended',
  carriage: 'secret\rpublic',
  tab: 'a\tb',
  lines: 'a\nb\r\nc\u000Bd\u000Ce',
  bell: 'a\u0007\u0008b',
  c1: 'a\u009B31mb\u0090x\u009Cc\u0085d',
  override: 'invoice\u202Egpj.exe',
  isolates: '\u2066a\u2067b\u2069',
  marks: '\u200Ea\u200Fb\u061Cc',
  zeroWidth: 'a\u200Bb\u200Cc\u2060d\uFEFFe',
  separators: 'a\u2028b\u2029c',
  tags: 'a\u{E0041}\u{E0042}b',
  nul: 'a\u0000b\u007F',
  half: 'a\uD800b',
}

export const hostileTexts = Object.values(hostile)

// Characters that control a terminal or are invisible on it. Line breaks are allowed, because svc writes them itself.
const raw = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

export const hasControlCharacters = (text: string) => raw.test(text.replaceAll('\n', ''))
