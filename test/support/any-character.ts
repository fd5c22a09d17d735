// Any Unicode character, like the unit 'binary' of fast-check, which first makes a table of all of them: nearly a second for each
// worker.
import * as fc from 'fast-check'

const surrogatesStart = 0xd800
const surrogateCount = 0x800
const codePointMax = 0x10ffff

const toCharacter = (index: number) => String.fromCodePoint(index < surrogatesStart ? index : index + surrogateCount)

function toIndex(character: unknown): number {
  const [first = '', ...rest] = typeof character === 'string' ? character : ''
  const codePoint = first.codePointAt(0)
  if (codePoint === undefined || rest.length > 0 || !first.isWellFormed()) throw new Error('is not one character')
  return codePoint < surrogatesStart ? codePoint : codePoint - surrogateCount
}

export const anyCharacter: fc.Arbitrary<string> = fc.nat({max: codePointMax - surrogateCount}).map(toCharacter, toIndex)
