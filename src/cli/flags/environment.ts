// Decides between flags and their environment variables. A typed flag overrides its variable, and --json and --output each
// override that of the other. A variable with an unusable value is an error, not ignored.
import {badUsage} from '../../errors.ts'

interface Flag {
  type: 'boolean' | 'option'
  char?: string | undefined
  env?: string | undefined
}

const onValues = new Set(['1', 'true', 'y', 'yes'])
const offValues = new Set(['0', 'false', 'n', 'no'])

// Two flags for the same setting. oclif does not know that they exclude each other, because they may agree.
const synonyms: Readonly<Record<string, string>> = {json: 'output', output: 'json'}

export const isVariableOn = (value: string | undefined): boolean =>
  Boolean(value) && !offValues.has(String(value).toLowerCase())

// Words after -- are arguments, whatever they look like.
export const listFlags = (argv: readonly string[]) => (argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv)

export const isTyped = (name: string, {char}: Pick<Flag, 'char'>, argv: readonly string[]): boolean =>
  listFlags(argv).some(
    (word) =>
      word === `--${name}` || word.startsWith(`--${name}=`) || (char !== undefined && word.startsWith(`-${char}`)),
  )

function isSet(name: string, {type, env}: Flag): boolean {
  const value = env && process.env[env]?.toLowerCase()
  if (!value || type === 'option') return Boolean(value)
  if (onValues.has(value)) return true
  if (offValues.has(value)) return false
  throw badUsage(`${env} is neither 1 nor 0, so it is unclear whether --${name} is meant`, 'Set it to 1, or unset it')
}

// Returns the flags for the parser, without the variables that do not apply this time.
export function resolveFlagSources(flags: Readonly<Record<string, Flag>>, argv: readonly string[]) {
  const isGiven = (name: string) => flags[name] !== undefined && isTyped(name, flags[name], argv)
  const resolve = (name: string, flag: Flag): Flag => {
    if (isGiven(name) || !flag.env) return flag
    const isUsed = !isGiven(synonyms[name] ?? '') && isSet(name, flag)
    return isUsed ? flag : {...flag, env: undefined}
  }
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, resolve(name, flag)]))
}
