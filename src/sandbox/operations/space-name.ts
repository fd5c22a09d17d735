// Finds the name of a space in a request: in a header, behind the credential, or in the host name.
import type {SandboxRequest} from '../http/exchange.ts'
import {ServiceError} from '../http/service-error.ts'
import {spaceHeader, spaceMark, spaceNamePattern, spaceNameRule} from './constants.ts'

const bearer = /^Bearer +(\S+) *$/i

interface SplitCredential {
  credential?: string | undefined
  spaceName?: string | undefined
}

// Neither API keys nor JWTs nor control tokens contain the mark.
export function splitCredential(authorization: string | undefined): SplitCredential {
  const presented = bearer.exec(authorization ?? '')?.[1]
  if (presented === undefined) return {}
  const at = presented.indexOf(spaceMark)
  return at === -1 ? {credential: presented} : {credential: presented.slice(0, at), spaceName: presented.slice(at + 1)}
}

// The pages of a space have a host name of their own, because their links start at the root.
function readHostName(host: string | undefined): string | undefined {
  return /^([^.:]+)\.localhost(?::\d*)?$/i.exec(host ?? '')?.[1]?.toLowerCase()
}

const badName = (message: string) => new ServiceError('BAD_REQUEST', message)

export interface NamedSpace {
  // Undefined if the request names no space.
  spaceName?: string | undefined
  // Whether only its host name names it. Any page can make a browser send such a request, so it makes no space.
  isByHostOnly: boolean
}

export function readSpaceName(request: SandboxRequest): NamedSpace {
  const {spaceName: fromCredential} = splitCredential(request.header('authorization'))
  const fromHeader = request.header(spaceHeader)
  const fromHost = readHostName(request.header('host'))
  const names = [...new Set([fromHeader, fromCredential, fromHost].filter((name) => name !== undefined))]
  if (names.length > 1) throw badName(`The request names two spaces, ${names.join(' and ')}: name one`)
  const [spaceName] = names
  if (spaceName !== undefined && !spaceNamePattern.test(spaceName)) {
    throw badName(`"${spaceName}" is not a name for a space: use ${spaceNameRule}`)
  }
  return {spaceName, isByHostOnly: fromHeader === undefined && fromCredential === undefined}
}
