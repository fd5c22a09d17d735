// Flags that several commands share. Those on every command can also be set as SVC_…, which docs/output.md lists.
import * as Flags from '@oclif/core/flags'
import {isUuid} from '../../contract/ids.ts'
import {limits} from '../../contract/vocabulary.ts'
import {badUsage} from '../../errors.ts'
import {formats} from '../output/print.ts'
import {parseDuration} from '../../values/time.ts'
import {portMax} from '../../values/urls.ts'

export const numberFlag = (summary: string, min: number, max = Number.MAX_SAFE_INTEGER) =>
  Flags.custom<number>({
    summary,
    helpValue: 'N',
    parse: async (text, _, {name}) => {
      const value = Number(text)
      if (/^\d+$/.test(text) && value >= min && value <= max) return value
      const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`
      throw badUsage(`--${name} "${text}" is not a whole number ${range}`, 'Nothing was sent')
    },
  })()

export const portFlag = (usual: number) => numberFlag(`Port to listen on; 0 picks a free one (${usual})`, 0, portMax)

const parseDurationFlag = async (text: string, _: unknown, {name}: {name: string}) => parseDuration(text, `--${name}`)

function parseUuid(text: string, what: string): string {
  if (isUuid(text)) return text
  throw badUsage(
    `${what} "${text}" is not a UUID`,
    'Use the id that the service shows, such as 4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  )
}

export const organizationFlag = (summary: string) =>
  Flags.string({
    summary,
    env: 'SVC_ORGANIZATION',
    helpValue: 'ID',
    parse: async (text, _, {name}) => parseUuid(text, `--${name}`),
  })

// A customer, by anything that `findCustomerId` takes, which validates it.
export const customerFlag = (summary: string) => Flags.string({summary, helpValue: 'ID|EMAIL'})

// Help only names them, below the flags of the command.
const inGlobalGroup = <F extends object>(flags: F): F =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, {...flag, helpGroup: 'GLOBAL'}])) as F

export const globalFlags = inGlobalGroup({
  profile: Flags.string({
    char: 'p',
    summary: 'Profile to use; "sandbox" is built in',
    env: 'SVC_PROFILE',
    helpValue: 'NAME',
  }),
  output: Flags.option({
    char: 'o',
    summary: 'Output format',
    options: formats,
    env: 'SVC_OUTPUT',
  })(),
  json: Flags.boolean({summary: 'The same as --output json', env: 'SVC_JSON'}),
  columns: Flags.string({
    summary: 'Columns to show in tables and CSV, comma-separated',
    helpValue: 'a,b',
  }),
  jq: Flags.string({
    summary: 'Print what a jq expression makes of the JSON; with -o jsonl, of each item',
    helpValue: 'EXPR',
    exclusive: ['columns'],
  }),
  'no-input': Flags.boolean({
    summary: 'Never prompt; fail if something is missing',
    env: 'SVC_NO_INPUT',
  }),
  quiet: Flags.boolean({
    summary: 'Print no notices, and nothing when a write succeeds unless a format was asked for',
    env: 'SVC_QUIET',
  }),
  verbose: Flags.boolean({
    summary: 'Log every request to standard error',
    env: 'SVC_VERBOSE',
  }),
  timeout: Flags.custom<number>({
    summary: 'Maximum total time to wait, such as 30s, 5m or 2h',
    env: 'SVC_TIMEOUT',
    helpValue: 'DURATION',
    parse: parseDurationFlag,
  })(),
  'request-timeout': Flags.custom<number>({
    summary: 'Maximum time for one request (30s)',
    env: 'SVC_REQUEST_TIMEOUT',
    helpValue: 'DURATION',
    parse: parseDurationFlag,
  })(),
})

export const pagingFlags = {
  all: Flags.boolean({summary: 'Read all pages', exclusive: ['limit']}),
  limit: numberFlag('Stop after N items', 1),
  'page-size': numberFlag(
    `Number of items per request, ${limits.pageSizeMin} to ${limits.pageSizeMax}`,
    limits.pageSizeMin,
    limits.pageSizeMax,
  ),
  'page-token': Flags.string({summary: 'Continue from this page token', helpValue: 'TOKEN'}),
}

// For commands that show people who is behind an id.
export const namesFlags = {
  'no-names': Flags.boolean({
    summary: 'Leave out the names of people, businesses and banks, which are read from the service',
  }),
}

export const noOpenFlag = Flags.boolean({summary: 'Print the link only, and open no browser'})

export const signingKeyFlag = Flags.string({
  summary: 'Key to sign with: a private key, or the public half of one in your agent',
  env: 'SVC_SIGNING_KEY',
  helpValue: 'FILE',
})

// Named like an action's result, and the same on every command that pays.
export const onResultFlag = Flags.string({
  summary: 'Give this program one JSON object for what needs a person, instead of that of the profile',
  helpValue: 'COMMAND',
})

export const waitFlag = Flags.boolean({
  summary: 'Wait for a final state, until --timeout if it is set',
})
