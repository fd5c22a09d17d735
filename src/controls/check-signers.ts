// Looks at the file of those who may approve when a profile is given it.
import fs from 'node:fs'
import {badUsage} from '../errors.ts'
import {readSigners} from './signers.ts'

function canWrite(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Throws if it names too few people. Returns what is worth saying about it.
export function checkSigners(file: string, required: number): string[] {
  const {people} = readSigners(file)
  if (people.length < required) {
    throw badUsage(
      `${file} names ${people.length} ${people.length === 1 ? 'person' : 'people'}, and ${required} have to approve`,
      'Add the others to it, or ask for fewer with --approvals; nothing was changed',
    )
  }
  return canWrite(file)
    ? [
        `You can change ${file}, and so who may approve: better if its owner is somebody else, such as root. \`--protect\` lets svc notice a change.`,
      ]
    : []
}
