// Finds the running server of a database. The server writes its address and its control token beside the file, for the owner
// alone, and proves that it has the database.
import {randomBytes} from 'node:crypto'
import fs from 'node:fs'
import {getAddressFile} from './address-file.ts'
import {isSealValid, createSeal} from '../forms/links.ts'
import type {Database} from '../store/database.ts'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'

const challengeBytes = 16
const challengePattern = /^[\da-f]{32}$/
const addressPattern = /^http:\/\/127\.0\.0\.1:\d{1,5}$/
// The server is on this machine, so it answers at once unless the machine is busy. Where no server runs any more, the connection is
// refused, and nothing is waited for.
const answerWaitMs = 10_000

export const formsPath = '/forms'

export const proofPath = '/console/proof'

// Only a process with access to the database can seal a random challenge.
export const createProof = (database: Database, challenge: string): string | undefined =>
  challengePattern.test(challenge) ? createSeal(database, 'server', challenge) : undefined

interface PublishedAddress {
  url: string
  controlToken: string
}

export interface ServerAddress extends PublishedAddress {
  formsUrl: string
}

const tokenPattern = /^[\w-]{32}$/

function readAddress(addressFile: string): PublishedAddress | undefined {
  try {
    const [url = '', controlToken = ''] = readRegularFile(addressFile).toString().trim().split('\n')
    return addressPattern.test(url) && tokenPattern.test(controlToken) ? {url, controlToken} : undefined
  } catch {
    return undefined
  }
}

// Writes the address, and returns a function that removes it. If it cannot be written, links to forms name another host.
export function publishAddress(file: string, {url, controlToken}: PublishedAddress): () => void {
  let addressFile: string
  try {
    addressFile = getAddressFile(file)
    replacePrivateFile(addressFile, `${url}\n${controlToken}\n`)
  } catch {
    return () => {}
  }
  return () => {
    // Another server may have replaced it, or somebody removed the whole folder.
    if (readAddress(addressFile)?.url === url) fs.rmSync(addressFile, {force: true})
  }
}

// A killed server leaves its address behind, and another program may listen there now. The proof tells them apart.
export async function findServer(database: Database): Promise<ServerAddress | undefined> {
  const challenge = randomBytes(challengeBytes).toString('hex')
  try {
    const address = readAddress(getAddressFile(database.file))
    if (address === undefined) return undefined
    const response = await fetch(`${address.url}${proofPath}?of=${challenge}`, {
      signal: AbortSignal.timeout(answerWaitMs),
      redirect: 'error',
      headers: {connection: 'close'},
    })
    const proof = await response.text()
    return isSealValid(proof, createProof(database, challenge) ?? '')
      ? {...address, formsUrl: address.url + formsPath}
      : undefined
  } catch {
    return undefined
  }
}
