// The checksums of a release, and their signature by an SSH key of the one who builds it.
import {spawnSync} from 'node:child_process'
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export const checksumsName = 'SHA256SUMS'
export const signatureName = `${checksumsName}.sig`

// Keeps the signature from counting for anything else that the key has signed.
const namespace = 'svc-release'

export const notSigned = `${checksumsName} is not signed: name an SSH key with --signing-key FILE`

export function renderChecksums(folder: string): string {
  const lines = fs.readdirSync(folder).map((name) => {
    const content = fs.readFileSync(path.join(folder, name))
    return {name, line: `${createHash('sha256').update(content).digest('hex')}  ${name}\n`}
  })
  return lines
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({line}) => line)
    .join('')
}

function runSshKeygen(args: readonly string[], input: string): string {
  const {status, stdout, stderr, error} = spawnSync('ssh-keygen', args, {input, encoding: 'utf8'})
  if (status !== 0) throw new Error(`ssh-keygen ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
  return stdout
}

export const signChecksums = (checksums: string, key: string): string =>
  runSshKeygen(['-Y', 'sign', '-q', '-n', namespace, '-f', key], checksums)

// Throws unless the signature is good. Whose it is has to be checked with a list of signers (docs/install.md).
export const checkSignature = (checksums: string, signatureFile: string): string =>
  runSshKeygen(['-Y', 'check-novalidate', '-n', namespace, '-s', signatureFile], checksums)
