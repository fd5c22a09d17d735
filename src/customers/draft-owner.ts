// Whose draft a file is, by the line at its head that names the command which wrote it.
import fs from 'node:fs'
import {badUsage} from '../errors.ts'

const draftHeading = /^# Draft of `svc ([^`\n]*)`/
const findCustomerId = (command: string) => /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.exec(command)?.[0].toLowerCase()

// What was entered for one customer is not another's. A draft without its heading belongs to whom it is given.
export function rejectOtherDraft(file: string | undefined, command: string): void {
  // A pipe can be read only once.
  if (file === undefined || !fs.statSync(file, {throwIfNoEntry: false})?.isFile()) return
  const [, began = ''] = draftHeading.exec(fs.readFileSync(file, 'utf8')) ?? []
  const [own, other] = [findCustomerId(command), findCustomerId(began)]
  if (own === undefined || other === undefined || own === other) return
  throw badUsage(
    `${file} is a draft of \`svc ${began}\`, which is another customer`,
    'Go on with it there, or take its first line away if you mean it; nothing was sent',
  )
}
