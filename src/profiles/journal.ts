// Finds the journal of a caller: that of its profile, the one that SVC_JOURNAL names, or the file on this machine.
import path from 'node:path'
import {badSettings, badUsage} from '../errors.ts'
import {
  type JournalAddress,
  findNamedJournal,
  getDefaultJournalFile,
  parseJournalAddress,
} from '../storage/journal-address.ts'
import {isPostgresAddress} from '../storage/postgres/address.ts'
import type {Caller} from './caller.ts'

// A profile that is paid from in one journal must not be paid from in another by mistake, so one that differs is neither ignored
// nor preferred. Without a caller, the environment decides.
export function getJournalAddress({
  journal,
  profileName = '',
}: Pick<Caller, 'journal' | 'profileName'> = {}): JournalAddress {
  const named = findNamedJournal()
  if (!journal) return named ?? {text: getDefaultJournalFile()}
  const {address, passwordCommand: command} = journal
  if (!isPostgresAddress(address) && !address.startsWith('file:') && !path.isAbsolute(address)) {
    throw badSettings(
      `The journal of profile "${profileName}" is ${address}, which is another file in each folder, so nothing is read or paid with it`,
      `State where it is: \`svc profiles set ${profileName} --journal FILE\``,
    )
  }
  const label = `The journal password command of profile "${profileName}"`
  const own: JournalAddress = {
    text: parseJournalAddress(address, `The journal of profile "${profileName}"`),
    passwordCommand: command === undefined ? undefined : {command, label},
  }
  if (named && named.text !== own.text) {
    throw badUsage(
      `SVC_JOURNAL names another journal than the profile "${profileName}", which pays with ${own.text}`,
      `Unset SVC_JOURNAL, or change the profile with \`svc profiles set ${profileName} --journal …\`; nothing was sent`,
    )
  }
  return own
}
