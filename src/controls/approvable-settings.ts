// What people see of the settings of a profile before they sign them.
import type {Caller} from '../profiles/caller.ts'
import type {Approvable} from './approvable.ts'
import {createSettingsSubject, listProtectedSettings} from './settings.ts'
import {toCanonicalText} from './subject.ts'

const formatSetting = (value: unknown) => (typeof value === 'string' ? value : toCanonicalText(value))

export function describeSettings(caller: Caller, serviceId: string): Approvable {
  const settings = Object.entries(listProtectedSettings(caller)).filter(([, value]) => value !== undefined)
  const snapshot = Object.fromEntries(settings.map(([name, value]) => [name, formatSetting(value)]))
  return {
    subject: createSettingsSubject(caller, serviceId),
    name: `the settings of ${caller.label}`,
    facts: Object.entries(snapshot).map(([label, text]) => ({label, lines: [text]})),
    snapshot,
  }
}
