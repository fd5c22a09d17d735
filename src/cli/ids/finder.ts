// The parts of a search for the one thing that a person or a script means by what is written in place of its id. A script may
// write the whole id, the beginning of one, or another value that is exactly as certain. In a terminal a person may also
// write any part of a name, chooses among several matches, and is asked if nothing is written.
import type {Client} from '../../client/client.ts'
import {isUuid} from '../../contract/ids.ts'
import {SvcError} from '../../errors.ts'

// What a command lends to a search. `SvcCommand.finder()` makes one.
export interface Finder {
  isInteractive: boolean
  // Whether only a machine format such as --json or --jq keeps a person at the terminal from being asked.
  isKeptByFormat?: boolean
  notice: (text: string) => void
  // Connects when it is first called, and returns the same client from then on.
  connect: () => Promise<Client>
  // The organization whose customers are offered to a person. An id is looked up among all customers.
  getOrganizationId: () => Promise<string | undefined>
  // Throws the error that names a required argument or flag that is missing.
  rejectMissing: (name: string) => never
}

// What the error about a name adds, if the same command without a machine format would look it up.
export const describeFormatLimit = ({isKeptByFormat}: Pick<Finder, 'isKeptByFormat'>): string =>
  isKeptByFormat ? 'Names are looked up for tables only, not with --json, --output or --jq; ' : ''

// What is written, and where.
export interface Reference {
  // The argument or flag, as a sentence about its value begins: "The customer id" or "--customer".
  what: string
  // The name of the argument or flag, for the error that it is missing: "ID" or "--customer".
  name: string
  text: string | undefined
  // The question by which one of several is chosen, if it is not "Which customer?": "From which payment account?".
  question?: string
  // The question about the only match of a name, which must be confirmed because money follows from it: "Pay from this customer?".
  confirmation?: string
}

export const toArgumentReference = (noun: string, text: string | undefined): Reference => ({
  what: `The ${noun} id`,
  name: 'ID',
  text,
})

export const toFlagReference = (flag: string, text: string | undefined): Reference => ({
  what: `--${flag}`,
  name: `--${flag}`,
  text,
})

// One kind of thing that can be found, such as customers.
export interface FindableKind<T> {
  singular: string
  plural: string
  // Empty if the item has no readable id.
  getId: (item: T) => string
  // One line for a person in a terminal. It may contain personal data.
  describe: (item: T) => string
  // One line for an error, which may end in a log: without names and other personal data.
  outline: (item: T) => string
  // What a person may search by, besides the id.
  getSearchText: (item: T) => string
  // What to do about words that match nothing.
  hintForNone?: (text: string) => string
}

// What may be written in place of an id: the id, the beginning of one, an email, or, in a terminal, other words.

// Shorter beginnings match by chance too often.
export const prefixLengthMin = 8

const uuidExample = '00000000-0000-0000-0000-000000000000'

// Whether the text is the beginning of a UUID, but not all of it.
export const isUuidPrefix = (text: string): boolean =>
  text.length >= prefixLengthMin &&
  text.length < uuidExample.length &&
  isUuid(`${text}${uuidExample.slice(text.length)}`)

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

// Names of things have several words more often than ids do. Only a guess about what to try first.
export const hasSpaces = (text: string): boolean => /\s/.test(text.trim())

// Ids are compared without regard to case, as UUIDs are. Two that differ in nothing else count as two matches.
export const startsWithIgnoringCase = (text: string, beginning: string): boolean =>
  text.toLowerCase().startsWith(beginning.toLowerCase())

export const createNoneError = (plural: string, hint?: string) =>
  new SvcError({error: 'NOT_FOUND', kind: 'notFound', message: `There are no ${plural}`, hint})

// The first characters of ids, as many as tell them apart. Commands accept an id that is cut so.

// Ids of events, deliveries and endpoints have their kind in front.
export const cutId = (id: string, length: number) => id.slice(0, id.indexOf('_') + 1 + length)

export function findDistinctLength(ids: ReadonlySet<string>): number {
  const isAmbiguous = (length: number) => new Set([...ids].map((id) => cutId(id, length))).size < ids.size
  let length = prefixLengthMin
  while (isAmbiguous(length)) length++
  return length
}
