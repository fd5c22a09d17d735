// The questions of `svc login`.
import {SvcError} from '../../errors.ts'
import {parseSecret} from '../../profiles/credentials.ts'
import type {Environment} from '../../profiles/profiles.ts'
import {readStdin} from '../output/streams.ts'
import {askAlone, askLine, pick} from './ask.ts'
import {parseBaseUrl} from '../../values/urls.ts'

const baseUrlName = 'The base URL'

export async function completeBaseUrl(known: string | undefined): Promise<string> {
  if (known !== undefined) return parseBaseUrl(known, baseUrlName)
  return parseBaseUrl(
    await askAlone(() => askLine({message: 'Base URL of the service', check: findBaseUrlProblem})),
    baseUrlName,
  )
}

function findBaseUrlProblem(text: string): string | undefined {
  try {
    parseBaseUrl(text, baseUrlName)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error.sentence
    throw error
  }
}

export const askEnvironment = (): Promise<Environment> =>
  pick<Environment>('Is this live, with real money, or a sandbox?', [
    {name: 'Live', value: 'live'},
    {name: 'Sandbox', value: 'sandbox'},
  ])

export async function readSecret(isInteractive: boolean): Promise<string> {
  if (isInteractive)
    return parseSecret(await askAlone(() => askLine({message: 'API key or token', isHidden: true})), 'The secret')
  return parseSecret(await readStdin(), 'Standard input')
}
