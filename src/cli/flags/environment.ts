// Decides between flags and their environment variables. A typed flag overrides its variable, and --json and --output each
// override that of the other. A variable with an unusable value is an error, not ignored.
import {SvcError, badUsage} from '../../errors.ts'

interface Flag {
  type: 'boolean' | 'option'
  char?: string | undefined
  env?: string | undefined
  options?: readonly string[] | undefined
  parse?: Parse | undefined
}

type Parse = (text: string, ...rest: never[]) => Promise<unknown>

type Flags = Readonly<Record<string, Flag>>
type EnvironmentVariables = Readonly<Record<string, string | undefined>>

const onValues = new Set(['1', 'true', 'y', 'yes'])
const offValues = new Set(['0', 'false', 'n', 'no'])

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

// An error about the value of a variable names the variable: nobody typed the flag.
function nameVariable(flag: Flag): Flag {
  const {env, options, parse} = flag
  if (!parse) return flag
  const parseVariable: Parse = async (text, ...rest) => {
    if (options?.includes(text) === false) throw badUsage(`${env} "${text}" is not one of ${options.join(', ')}`)
    try {
      return await parse(text, ...rest)
    } catch (error) {
      throw error instanceof SvcError ? badUsage(`${env} is set, but ${error.sentence}`, error.hint) : error
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
    result[name] = isOverridden || !isSet(name, flag, variables) ? {...flag, env: undefined} : nameVariable(flag)
  }
  return result as F
}
