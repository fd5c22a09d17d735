// Finds the journal of a caller: that of its profile, the one that SVC_JOURNAL names, or the file on this machine.
import {badUsage} from '../errors.ts'
import {
  type JournalAddress,
  findNamedJournal,
  getDefaultJournalFile,
  isDatabase,
  parseJournalAddress,
} from '../storage/journal-address.ts'
import type {Caller} from './caller.ts'
import {type ProfileJournal, requireProfile, updateSettings} from './profiles.ts'

type JournalOwner = Pick<Caller, 'journal' | 'profileName'>

const toAddress = ({address, passwordCommand}: ProfileJournal, name: string): JournalAddress => ({
  text: parseJournalAddress(address, `The journal of profile "${name}"`),
  ...(passwordCommand !== undefined && {
    passwordCommand: {command: passwordCommand, label: `The journal password command of profile "${name}"`},
  }),
})

// A profile that is paid from in one journal must not be paid from in another by mistake, so one that differs is neither ignored
// nor preferred. Without a caller, the environment decides.
export function getJournalAddress({journal, profileName = ''}: JournalOwner = {}): JournalAddress {
  const named = findNamedJournal()
  if (!journal) return named ?? {text: getDefaultJournalFile()}
  const own = toAddress(journal, profileName)
  if (named && named.text !== own.text) {
    throw badUsage(
      `SVC_JOURNAL names another journal than the profile "${profileName}", which pays with ${own.text}`,
      `Unset SVC_JOURNAL, or change the profile with \`svc profiles set ${profileName} --journal …\`; nothing was sent`,
    )
  }
  return own
}

export interface JournalChange {
  // Empty for the journal of this machine.
  address?: string | undefined
  passwordCommand?: string | undefined
}

// Changes the journal of a profile. The address may contain no password.
export async function updateJournal(name: string, {address, passwordCommand}: JournalChange): Promise<void> {
  const before = requireProfile(name).journal
  if (address === undefined && passwordCommand === undefined) return
  const parsed = address === undefined ? before?.address : address && parseJournalAddress(address, '--journal')
  const command = passwordCommand ?? (address === undefined ? before?.passwordCommand : undefined)
  if (command && !(parsed && isDatabase({text: parsed}))) {
    throw badUsage(
      '--journal-password-command is for a journal in a database, and the profile has none',
      'Give --journal postgres://… with it; nothing was changed',
    )
  }
  await updateSettings((settings) => {
    const {journal: _journal, ...profile} = requireProfile(name)
    const journal = parsed && {journal: {address: parsed, ...(command && {passwordCommand: command})}}
    settings.profiles[name] = {...profile, ...journal}
  })
}
