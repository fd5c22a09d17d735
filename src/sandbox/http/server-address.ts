// Finds the running server of a database. The server writes its address and its control token beside the file, for the owner
// alone, and the path of that file itself: a copy of it, made with the database, is not an address of the copy.
import fs from 'node:fs'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {controlPrefix} from '../operations/constants.ts'
import type {Database} from '../store/database.ts'
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

// A killed server leaves its address behind, and another program may listen there now. Only the server itself accepts the token,
// which ended with it.
export async function findServer({file}: Database): Promise<ServerAddress | undefined> {
  try {
    const address = readAddress(getAddressFile(file))
    if (address === undefined) return undefined
    const {status} = await fetch(`${address.url}${controlPrefix}/clock`, {
      signal: AbortSignal.timeout(answerWaitMs),
      redirect: 'error',
      headers: {authorization: `Bearer ${address.controlToken}`, connection: 'close'},
    })
    return status === 200 ? {...address, formsUrl: address.url + formsPath} : undefined
  } catch {
    return undefined
  }
}
