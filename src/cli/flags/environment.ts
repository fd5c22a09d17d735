// Decides between flags and the variables that stand for them: what is typed beats every variable, also one of a flag that
// it excludes, and a variable that cannot be understood is refused instead of being passed over.
import {badUsage} from '../../errors.ts'

interface Flag {
  type: 'boolean' | 'option'
  char?: string | undefined
  env?: string | undefined
  exclusive?: ReadonlyArray<string | {name: string}> | undefined
}

type Flags = Readonly<Record<string, Flag>>
type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const onValues = new Set(['1', 'true', 'y', 'yes'])
const offValues = new Set(['0', 'false', 'n', 'no'])

// A rehearsal that was asked for is never given up for another flag.
const neverOverridden = 'dry-run'

// Two flags for one thing. They are no rivals where both say the same, so oclif is not told that they exclude each other.
const synonyms: Readonly<Record<string, string>> = {json: 'output', output: 'json'}

export const isVariableOn = (value: string | undefined): boolean =>
  Boolean(value) && !offValues.has(String(value).toLowerCase())

export function isTyped(name: string, {char}: Pick<Flag, 'char'>, argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).some(
    (word) =>
      word === `--${name}` || word.startsWith(`--${name}=`) || (char !== undefined && word.startsWith(`-${char}`)),
  )
}

function isSet(name: string, {type, env}: Flag, variables: EnvironmentVariables): boolean {
  const value = env && variables[env]
  if (!value) return false
  if (type === 'option') return true
  if (!onValues.has(value.toLowerCase()) && !offValues.has(value.toLowerCase())) {
    throw badUsage(
      `${env} is neither 1 nor 0, so it does not say whether --${name} is meant`,
      'Set it to 1, or unset it',
    )
  }
  return onValues.has(value.toLowerCase())
}

const getExclusiveNames = ({exclusive = []}: Flag) =>
  exclusive.map((other) => (typeof other === 'string' ? other : other.name))

function findRivals(name: string, flags: Flags): string[] {
  const others = Object.entries(flags).filter(([, other]) => getExclusiveNames(other).includes(name))
  return [...getExclusiveNames(flags[name] as Flag), ...others.map(([other]) => other)].filter((other) => flags[other])
}

// The flags as they are to be parsed: without the variables that do not count this time.
export function resolveFlagSources<F extends Flags>(
  flags: F,
  argv: readonly string[],
  variables: EnvironmentVariables = process.env,
): F {
  const typed = new Set(Object.keys(flags).filter((name) => isTyped(name, flags[name] as Flag, argv)))
  const set = new Set(
    Object.keys(flags).filter((name) => !typed.has(name) && isSet(name, flags[name] as Flag, variables)),
  )
  const result: Record<string, Flag> = {...flags}
  for (const [name, flag] of Object.entries(flags)) {
    if (typed.has(name) || !flag.env) continue
    const rivals = findRivals(name, flags)
    const rival = [...rivals, synonyms[name] ?? ''].find((other) => typed.has(other))
    const isOff = !set.has(name)
    if (!isOff && rival !== undefined && name === neverOverridden)
      throw badUsage(
        `--${rival} does not go with ${flag.env}, which is set`,
        `Leave --${rival} out, or unset ${flag.env}`,
      )
    if (isOff || rival !== undefined) result[name] = {...flag, env: undefined}
    const other = isOff || rival !== undefined ? undefined : rivals.find((each) => set.has(each))
    if (other !== undefined)
      throw badUsage(`${flag.env} and ${flags[other]?.env} exclude each other, and both are set`, 'Unset one of them')
  }
  return result as F
}
