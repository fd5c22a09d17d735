// Finds the running server of a database. The server writes its address and its control token beside the file, for the owner
// alone, and the path of that file itself: a copy of it, made with the database, is not an address of the copy.
import {createHmac, randomBytes} from 'node:crypto'
import fs from 'node:fs'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {controlPrefix} from '../operations/constants.ts'
import type {Database} from '../store/database.ts'
import {isEqualSecret} from '../../values/text.ts'
import {getAddressFile} from './address-file.ts'

const addressPattern = /^http:\/\/127\.0\.0\.1:\d{1,5}$/
const tokenPattern = /^[\w-]{32}$/
// The server is on this machine, so it answers at once unless the machine is busy. Where no server runs any more, the connection is
// refused, and nothing is waited for.
const answerWaitMs = 10_000

export const formsPath = '/forms'

interface PublishedAddress {
  url: string
  controlToken: string
}

export interface ServerAddress extends PublishedAddress {
  formsUrl: string
}

function readAddress(addressFile: string): PublishedAddress | undefined {
  try {
    const [url = '', controlToken = '', ownFile] = readRegularFile(addressFile).toString().trim().split('\n')
    const isValid = addressPattern.test(url) && tokenPattern.test(controlToken) && ownFile === addressFile
    return isValid ? {url, controlToken} : undefined
  } catch {
    return undefined
  }
}

// Writes the address, and returns a function that removes it. If it cannot be written, links to forms name another host.
export function publishAddress(file: string, {url, controlToken}: PublishedAddress): () => void {
  let addressFile: string
  try {
    addressFile = getAddressFile(file)
    replacePrivateFile(addressFile, `${url}\n${controlToken}\n${addressFile}\n`)
  } catch {
    return () => {}
  }
  return () => {
    // Another server may have replaced it, or somebody removed the whole folder.
    if (readAddress(addressFile)?.url === url) fs.rmSync(addressFile, {force: true})
  }
}

// The headers with the word that a client asks a server to sign, and with the signature that only a
// server with this token and this address can give.
export const challengeHeader = 'svc-sandbox-challenge'
export const proofHeader = 'svc-sandbox-proof'

export const signChallenge = (challenge: string, {url, controlToken}: PublishedAddress): string =>
  createHmac('sha256', controlToken).update(`${url}\n${challenge}`).digest('base64url')

// A killed server leaves its address behind, and another program may listen there now. It is taken
// for the server only after it has signed a random word with the token, which ended with the server
// and is not sent to find this out.
export async function findServer({file}: Database): Promise<ServerAddress | undefined> {
  try {
    const address = readAddress(getAddressFile(file))
    if (address === undefined) return undefined
    const challenge = randomBytes(24).toString('base64url')
    const {headers, body} = await fetch(address.url + controlPrefix, {
      signal: AbortSignal.timeout(answerWaitMs),
      redirect: 'error',
      headers: {[challengeHeader]: challenge, connection: 'close'},
    })
    // The body of a stranger may have no end, and the process would wait for it.
    await body?.cancel()
    const isProved = isEqualSecret(headers.get(proofHeader) ?? '', signChallenge(challenge, address))
    return isProved ? {...address, formsUrl: address.url + formsPath} : undefined
  } catch {
    return undefined
  }
}
