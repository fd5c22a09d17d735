// Masks an id or a number to its last characters, so that it can be recognised and not copied.

const visibleMax = 4
const dot = '•'

// At most half of it stays readable. What separates the digits stays.
export function maskNumber(text: string): string {
  const isMasked = (letter: string) => /[\p{L}\p{N}]/u.test(letter)
  const letters = Array.from(text)
  const count = letters.filter(isMasked).length
  let hidden = count - Math.min(visibleMax, Math.floor(count / 2))
  return letters.map((letter) => (isMasked(letter) && hidden-- > 0 ? dot : letter)).join('')
}
