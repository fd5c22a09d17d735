// Rejects a draft of another customer. The first line of a draft names the command that wrote it.
import fs from 'node:fs'
import {badUsage} from '../errors.ts'

const draftHeading = /^# Draft of `svc ([^`\n]*)`/
const findCustomerId = (command: string) => /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.exec(command)?.[0].toLowerCase()

// Whether svc wrote the file as a draft.
export const isOwnDraft = (file: string | undefined): boolean =>
  file !== undefined &&
  fs.statSync(file, {throwIfNoEntry: false})?.isFile() === true &&
  draftHeading.test(fs.readFileSync(file, 'utf8'))

// A draft without its first line is accepted for any customer.
export function rejectOtherDraft(file: string | undefined, command: string): void {
  // A pipe can be read only once, so it is left for the command.
  if (file === undefined || !fs.statSync(file, {throwIfNoEntry: false})?.isFile()) return
  const [, draftCommand = ''] = draftHeading.exec(fs.readFileSync(file, 'utf8')) ?? []
  const [customerId, draftCustomerId] = [findCustomerId(command), findCustomerId(draftCommand)]
  if (customerId === undefined || draftCustomerId === undefined || customerId === draftCustomerId) return
  throw badUsage(
    `${file} is a draft of \`svc ${draftCommand}\`, which is another customer`,
    'Continue it there, or remove its first line to use it here; nothing was sent',
  )
}
