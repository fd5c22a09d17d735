// Names the flags and columns of the fields that a refusal of the service is about.
import {SvcError} from '../errors.ts'
import {type RouteFlag, routeFields} from './route-fields.ts'

// Writes the name of the flag or the column where the text has the path of its field.
export function nameFields(text: string, format: (flag: RouteFlag, path: string) => string): string {
  let named = text
  for (const {flag, path} of routeFields) {
    const pattern = new RegExp(String.raw`(?<![\w.])${path.replace('.', String.raw`\.`)}(?![\w.]|\.\w| \()`)
    named = named.replace(pattern, format(flag, path))
  }
  return named
}

// For example: destination.destinationPaymentAccountId (--to) belongs to another customer
const formatFlag = (flag: RouteFlag, path: string) => `${path} (--${flag})`

// Runs a command whose fields are given with flags.
export async function withFlagNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const {error: code, kind, effect, message, hint, statusCode, problems, body} = error
    const named = nameFields(message, formatFlag)
    const namedProblems = problems?.map((problem) => nameFields(problem, formatFlag))
    if (named === message && String(namedProblems) === String(problems)) throw error
    throw new SvcError({
      error: code,
      kind,
      effect,
      message: named,
      hint,
      statusCode,
      problems: namedProblems,
      body,
      cause: error,
    })
  }
}
