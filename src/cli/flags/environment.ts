// Decides between flags and their environment variables. A typed flag overrides its variable, and --json and --output each
// override that of the other. A variable with an unusable value is an error, not ignored.
import {SvcError, badUsage} from '../../errors.ts'

interface Flag {
  type: 'boolean' | 'option'
  char?: string | undefined
  env?: string | undefined
  exclusive?: ReadonlyArray<string | {name: string}> | undefined
  options?: readonly string[] | undefined
  parse?: Parse | undefined
}

type Parse = (text: string, ...rest: never[]) => Promise<unknown>

type Flags = Readonly<Record<string, Flag>>
type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const onValues = new Set(['1', 'true', 'y', 'yes'])
const offValues = new Set(['0', 'false', 'n', 'no'])

// A dry run set in the environment must not turn into a real one because of another flag.
const neverOverridden = 'dry-run'

// Two flags for the same setting. oclif does not know that they exclude each other, because they may agree.
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
    throw badUsage(`${env} is neither 1 nor 0, so it is unclear whether --${name} is meant`, 'Set it to 1, or unset it')
  }
  return onValues.has(value.toLowerCase())
}

const getExclusiveNames = ({exclusive = []}: Flag) =>
  exclusive.map((other) => (typeof other === 'string' ? other : other.name))

// Of the typed flags, one that this flag excludes or that excludes it.
const findTypedRival = (name: string, flags: Flags, typed: ReadonlySet<string>) =>
  [...typed].find((other) => {
    const [flag, rival] = [flags[name], flags[other]]
    return flag && rival && (getExclusiveNames(flag).includes(other) || getExclusiveNames(rival).includes(name))
  })

// An error about the value of a variable names the variable: nobody typed the flag.
function nameVariable(name: string, flag: Flag): Flag {
  const {env, options, parse} = flag
  if (!parse) return flag
  const parseVariable: Parse = async (text, ...rest) => {
    if (options?.includes(text) === false) throw badUsage(`${env} "${text}" is not one of ${options.join(', ')}`)
    try {
      return await parse(text, ...rest)
    } catch (error) {
      if (!(error instanceof SvcError) || !error.sentence.startsWith(`--${name} `)) throw error
      throw badUsage(`${env}${error.sentence.slice(`--${name}`.length)}`, error.hint)
    }
  }
  // The parser would check the options first, and name the flag.
  return {...flag, options: undefined, parse: parseVariable}
}

// Returns the flags for the parser, without the variables that do not apply this time.
export function resolveFlagSources<F extends Flags>(
  flags: F,
  argv: readonly string[],
  variables: EnvironmentVariables = process.env,
): F {
  const all = Object.entries(flags)
  const typed = new Set(all.flatMap(([name, flag]) => (isTyped(name, flag, argv) ? [name] : [])))
  const result: Record<string, Flag> = {...flags}
  for (const [name, flag] of all) {
    if (typed.has(name) || !flag.env) continue
    const isOverridden = typed.has(synonyms[name] ?? '')
    const rival = name === neverOverridden && findTypedRival(name, flags, typed)
    if (isOverridden || !isSet(name, flag, variables)) result[name] = {...flag, env: undefined}
    else if (rival)
      throw badUsage(`--${rival} cannot be used while ${flag.env} is set`, `Leave out --${rival}, or unset ${flag.env}`)
    else result[name] = nameVariable(name, flag)
  }
  return result as F
}
