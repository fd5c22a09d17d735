// Reads and writes the files of an audit: heads, signatures and proofs.
import {SvcError, badUsage, getSystemCode} from '../../errors.ts'
import {rejectOwnFile} from '../../storage/own-files.ts'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'

export function readAuditFile(file: string): string {
  try {
    return readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Name another file', cause)
  }
}

// Undefined if there is none.
export function readFileIfThere(file: string): string | undefined {
  try {
    return readRegularFile(file).toString()
  } catch (cause) {
    if (getSystemCode(cause) === 'ENOENT') return undefined
    throw cause
  }
}

export function writeAuditFile(file: string, text: string): void {
  rejectOwnFile(file)
  try {
    replacePrivateFile(file, text)
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(
      `The file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
      'Name another with --out',
      cause,
    )
  }
}
