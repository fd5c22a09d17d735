// The address of a journal: a file on this machine, or a PostgreSQL database.
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import {badSettings, badUsage} from '../errors.ts'
import {getStateFolder} from './folders.ts'
import {isPostgresAddress, parsePostgresAddress} from './postgres/address.ts'

// The command that prints the password of a database.
interface PasswordCommand {
  command: string
  // How messages name it: the password command of profile "acme".
  label: string
}

export interface JournalAddress {
  // A file, or an address that begins with postgres://. It contains no password, so that it can be shown.
  text: string
  passwordCommand?: PasswordCommand | undefined
}

const schemePattern = /^([a-z][a-z0-9+.-]*):\/\//i

// `from` is the flag or the variable that has the address. An address of something else would become a file of that name, and
// nobody would find the journal there. It may contain a password, so it is not repeated.
export function parseJournalAddress(text: string, from: string): string {
  const reject = from.startsWith('--') ? badUsage : badSettings
  if (text === ':memory:') {
    throw reject(
      `${from} is :memory:, but the journal must outlive the process`,
      'Name a file or a PostgreSQL database; nothing was sent',
    )
  }
  if (isPostgresAddress(text)) return parsePostgresAddress(text, from).text
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase()
  // A relative path would name another file in each folder, so it is one of the folder where it is
  // given.
  if (scheme === undefined) return path.resolve(text)
  if (scheme === 'file' && URL.canParse(text)) return fileURLToPath(text)
  throw reject(
    `${from} is an address that begins with ${scheme}://, but the journal is a file or a PostgreSQL database`,
    'Name a file, or write postgres://USER@HOST/DATABASE; nothing was sent',
  )
}

export const getDefaultJournalFile = () => path.join(getStateFolder(), 'journal.sqlite')

// The journal that the environment names.
export function findNamedJournal(): JournalAddress | undefined {
  const text = process.env['SVC_JOURNAL']
  if (!text) return undefined
  const command = process.env['SVC_JOURNAL_PASSWORD_COMMAND']
  return {
    text: parseJournalAddress(text, 'SVC_JOURNAL'),
    ...(command && {passwordCommand: {command, label: 'SVC_JOURNAL_PASSWORD_COMMAND'}}),
  }
}

export const isDatabase = ({text}: JournalAddress) => isPostgresAddress(text)
