// The notify command of a profile: the program that is told what needs a person.
import {badUsage} from '../errors.ts'
import {type ProfileNotify, requireProfile, updateSettings} from './profiles.ts'

export interface NotifyChange {
  // Empty to tell nobody any more.
  command?: string | undefined
  afterMs?: number | undefined
}

export async function updateNotify(name: string, {command, afterMs}: NotifyChange): Promise<void> {
  const before = requireProfile(name).notify
  if (command === undefined && afterMs === undefined) return
  const nextCommand = command ?? before?.command
  if (!nextCommand && afterMs !== undefined) {
    throw badUsage(
      '--notify-after is for a profile with a notify command, and this one has none',
      'Give --notify COMMAND with it; nothing was changed',
    )
  }
  const nextAfterMs = afterMs ?? before?.afterMs
  const notify: ProfileNotify | undefined = nextCommand
    ? {command: nextCommand, ...(nextAfterMs !== undefined && {afterMs: nextAfterMs})}
    : undefined
  await updateSettings((settings) => {
    const {notify: _notify, ...profile} = requireProfile(name)
    settings.profiles[name] = {...profile, ...(notify && {notify})}
  })
}
