// Remembers the ids that were shown in a terminal, so that a shell can complete them. Nothing but ids is stored, for each
// profile by itself, in a file that only its owner can read. Without the file nothing is missing but completions.
import fs from 'node:fs'
import path from 'node:path'
import {type IdKind, idKinds, kindsByIdField} from '../../contract/ids.ts'
import {getStateFolder} from '../../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import type {Result} from '../output/result.ts'
import {isRecord} from '../../values/records.ts'

type SeenIds = Partial<Record<IdKind, string[]>>

// The newest ids of each kind.
const idsPerKindMax = 500
// A long list is not searched for ids any further.
const itemsSearchedMax = 1000
const fileLengthMax = 200_000

// Shells expand other characters, and the service decides what its ids are. An email or a name is no such word.
const plainId = /^[A-Za-z0-9][\w.:-]{7,63}$/

// Profiles have no such name.
const environmentKey = '@environment'

const getFolder = () => path.join(getStateFolder(), 'ids')
const getFile = (profile = environmentKey) => path.join(getFolder(), `${encodeURIComponent(profile)}.json`)

function collectIds(item: unknown, found: Map<IdKind, Set<string>>): void {
  if (!isRecord(item)) return
  const add = (kind: IdKind, id: unknown) => {
    if (typeof id === 'string' && plainId.test(id)) found.set(kind, (found.get(kind) ?? new Set()).add(id))
  }
  for (const side of [item, item['source'], item['destination']]) {
    if (!isRecord(side)) continue
    for (const [field, kind] of kindsByIdField) add(kind, side[field])
  }
  // A rule is the only item whose id is called id, besides things that are not the service's.
  if (isRecord(item['transactionTemplate'])) add('rules', item['id'])
}

function readSeenIds(profile: string | undefined): SeenIds {
  try {
    const text = fs.readFileSync(getFile(profile), 'utf8')
    const stored: unknown = text.length > fileLengthMax ? undefined : JSON.parse(text)
    return isRecord(stored) ? stored : {}
  } catch {
    return {}
  }
}

// The ids of one kind, the newest first. Without a profile, those of the credential in the environment.
export function listSeenIds(profile: string | undefined, kind: IdKind): string[] {
  const ids: unknown = readSeenIds(profile)[kind]
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string' && plainId.test(id)) : []
}

interface WatchedResult {
  result: Result
  // Call this once the result is printed.
  remember: (findProfile: () => string | undefined) => void
}

export function watchForIds(result: Result): WatchedResult {
  const found = new Map<IdKind, Set<string>>()
  if (result?.kind === 'item') collectIds(result.value, found)
  const remember: WatchedResult['remember'] = (findProfile) => {
    // A folder that cannot be written costs completions, not the command.
    try {
      if (found.size > 0) rememberIds(findProfile(), found)
    } catch {}
  }
  if (result?.kind !== 'list') return {result, remember}
  const {pages} = result
  async function* watchPages() {
    let left = itemsSearchedMax
    for await (const page of pages) {
      for (const item of page.items.slice(0, left)) collectIds(item, found)
      left = Math.max(0, left - page.items.length)
      yield page
    }
  }
  return {result: {...result, pages: watchPages()}, remember}
}

function rememberIds(profile: string | undefined, found: ReadonlyMap<IdKind, ReadonlySet<string>>): void {
  const known = Object.fromEntries(idKinds.map((kind) => [kind, listSeenIds(profile, kind)]))
  const next = Object.fromEntries(
    idKinds.map((kind) => [
      kind,
      [...new Set([...(found.get(kind) ?? []), ...(known[kind] ?? [])])].slice(0, idsPerKindMax),
    ]),
  )
  if (JSON.stringify(next) === JSON.stringify(known)) return
  makePrivateFolder(getStateFolder())
  makePrivateFolder(getFolder())
  replacePrivateFile(getFile(profile), JSON.stringify(next))
}

// For a profile that is removed.
export function forgetSeenIds(profile: string): void {
  fs.rmSync(getFile(profile), {force: true})
}
