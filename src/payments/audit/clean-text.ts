// Text of a service or a person for a page: characters that control, hide or reorder what is read are shown by their code.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

const toCode = (character: string) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`

export const cleanText = (text: string): string =>
  text.replaceAll(unsafe, (character) => (character === '\n' ? character : toCode(character)))
