// Runs properties on generated input and on a corpus, from a printed seed, and holds that no input takes long. SVC_TEST_SEED repeats
// a run; SVC_TEST_FUZZ_RUNS says how many inputs each property gets.
import * as fc from 'fast-check'
import {expect} from 'vitest'
import {SvcError} from '../../src/errors.ts'
import {anyCharacter} from '../support/any-character.ts'
import {hostileTexts} from '../support/hostile.ts'
import {seed} from '../support/seed.ts'

const runsDefault = 40
const runs = Number(process.env['SVC_TEST_FUZZ_RUNS'] ?? runsDefault)
// A tenth of it where the work grows with the length of a long text; many seconds where it grows with the square of it.
const cpuMaxMs = 1_000

export const fromSeed = `from seed ${seed} (SVC_TEST_SEED repeats it)`

interface Inputs<T> {
  // Always tried: what was once handled wrongly.
  corpus?: readonly T[]
  // The share of the runs, for a property that takes long.
  share?: number
}

// `property` fails by throwing. Of a generated input that fails, the smallest one is reported.
export async function checkInputs<T>(
  arbitrary: fc.Arbitrary<T>,
  {corpus = [], share = 1}: Inputs<T>,
  property: (input: T) => void | Promise<void>,
): Promise<void> {
  const check = async (input: T) => {
    const before = process.cpuUsage()
    await property(input)
    expect(process.cpuUsage(before).user / 1_000, 'CPU time in ms').toBeLessThan(cpuMaxMs)
  }
  for (const input of corpus) await check(input)
  await fc.assert(fc.asyncProperty(arbitrary, check), {seed, numRuns: Math.ceil(runs * share)})
}

// The result, or the error if it is one that is shown to a person. Any other error fails the property.
export async function runOrRefuse<T>(action: () => T | Promise<T>): Promise<{result: T} | {refusal: SvcError}> {
  try {
    return {result: await action()}
  } catch (error) {
    if (error instanceof SvcError) return {refusal: error}
    throw error
  }
}

// Words and characters that a parser or a terminal may take for more than text.
export const hostileWords: readonly string[] = [
  ...hostileTexts,
  ...'constructor __proto__ toString hasOwnProperty valueOf then length 1e99999999 -1e99999999 1e400 -0 1.50'.split(
    ' ',
  ),
  ...'00012345678901234567890 0x10 0o7 1_000 .5 +1 = =1+1 @SUM(A1) - ? : # ~ *a &a !tag << %YAML --- ... | >'.split(
    ' ',
  ),
  ...'null yes NO on True 2026-11-15 12:30:45 [a] {a} a;b a,b " "" a"b <script> </script> &amp; <!-- .. ../..'.split(
    ' ',
  ),
  ...'%00 $(x) {{x}}'.split(' '),
  // With blanks, line ends and characters that are not seen.
  '`',
  '',
  ' ',
  ' a',
  'a ',
  'a: b',
  'a #b',
  '- a',
  '👩\u200D👩\u200D👧\u200D👦',
  '👩🏽\u200D🚀',
  '\u200D',
  'a\u200Db',
  '👩\u200D',
  '\u{E0001}',
  '\uFFFE',
  '\uFFFF',
  '\uDC00',
  'a\tb',
  "'",
  'a\r\nb',
  'a\u0085b',
  'a\u2028b',
  '\uFEFF',
  '\\',
  '\\u0041',
  '\\\n',
  '"><img src=x onerror=x>',
]

const many = 20_000

// Each is repeated to a text that a pattern or a scanner may handle in quadratic time.
const units =
  '.|a|"|\\|+|(|;|,|=|[|{"a":|&a |*a |# |: |<a>;|1 |- |a: |\n|\u001B|\u001B]8;;|\u001B[1;|\u009B;|\u009D|👩\u200D|\u2028|\uD800|"a","b"\r\n'.split(
    '|',
  )

export const longTexts: readonly string[] = [...units.map((unit) => unit.repeat(many)), `No${'.'.repeat(many)}x`]

export const nest = (depth: number, open = '[', close = ']') => `${open.repeat(depth)}${close.repeat(depth)}`

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileWords),
  fc.array(fc.constantFrom(...hostileWords), {maxLength: 6}).map((words) => words.join('')),
  fc.string({unit: anyCharacter, maxLength: 30}),
)

// JSON whose names are partly those that svc looks for.
export function hostileJson(names: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof({weight: 4, arbitrary: fc.constantFrom(...names)}, {weight: 1, arbitrary: hostileText})
  const leaf = fc.oneof(
    hostileText,
    fc.double({noNaN: true, noDefaultInfinity: true}),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const {value} = fc.letrec<{value: unknown}>((tie) => ({
    value: fc.oneof(
      {maxDepth: 4, depthSize: 'small'},
      leaf,
      fc.array(tie('value'), {maxLength: 4}),
      // From entries, so that a name such as __proto__ becomes a field.
      fc.array(fc.tuple(key, tie('value')), {maxLength: 5}).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  return value
}

// The text with a few pieces removed, repeated or replaced.
export function damage(text: fc.Arbitrary<string>, pieces: readonly string[]): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(), fc.nat({max: 10}), fc.constantFrom('', ...pieces))
  return fc.tuple(text, fc.array(change, {maxLength: 3})).map(([whole, changes]) =>
    changes.reduce((current, [at, length, piece]) => {
      const start = at % (current.length + 1)
      return current.slice(0, start) + piece + current.slice(start + length)
    }, whole),
  )
}

export const jsonPieces = [...'{ } [ ] , : " \\ \\u 1e99999999 -0 1.50'.split(' '), '\u2028', '\n', ' ', '\u0000']
