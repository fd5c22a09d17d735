// Where the server of a database is to be found: it leaves its address beside the file, and proves that it is the one.
import {randomBytes} from 'node:crypto'
import fs from 'node:fs'
import {isSealValid, createSeal} from '../forms/links.ts'
import type {Database} from '../store/database.ts'

const ending = '.server'
const fileMode = 0o600
const challengeBytes = 16
const challengePattern = /^[\da-f]{32}$/
const addressPattern = /^http:\/\/127\.0\.0\.1:\d{1,5}$/
// It is on this very machine: one that does not answer by then is none.
const answerWaitMs = 1_500

// Where a server has its forms.
export const formsPath = '/forms'

export const proofPath = '/console/proof'

// Only whoever has the database can seal a word that nobody has heard before.
export const createProof = (database: Database, challenge: string): string | undefined =>
  challengePattern.test(challenge) ? createSeal(database, 'server', challenge) : undefined

const addressFile = (file: string) => `${fs.realpathSync(file)}${ending}`

function readAddress(file: string): string | undefined {
  try {
    const address = fs.readFileSync(addressFile(file), 'utf8').trim()
    return addressPattern.test(address) ? address : undefined
  } catch {
    return undefined
  }
}

// Leaves the address, and gives what takes it away again. Nothing depends on it but links that work at once.
export function publishAddress(file: string, url: string): () => void {
  try {
    fs.writeFileSync(addressFile(file), `${url}\n`, {mode: fileMode})
  } catch {
    return () => {}
  }
  return () => {
    // Another server may have come meanwhile.
    if (readAddress(file) === url) fs.rmSync(addressFile(file), {force: true})
  }
}

// Where a server is that has this very database. One that was killed leaves an address at which nobody, or
// somebody else, is by now.
export async function findServer(database: Database): Promise<{url: string; formsUrl: string} | undefined> {
  const address = readAddress(database.file)
  if (address === undefined) return undefined
  const challenge = randomBytes(challengeBytes).toString('hex')
  try {
    const response = await fetch(`${address}${proofPath}?of=${challenge}`, {
      signal: AbortSignal.timeout(answerWaitMs),
      redirect: 'error',
      headers: {connection: 'close'},
    })
    const given = await response.text()
    return isSealValid(given, createProof(database, challenge) ?? '')
      ? {url: address, formsUrl: address + formsPath}
      : undefined
  } catch {
    return undefined
  }
}
