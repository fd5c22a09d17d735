// The certificate of a service whose authority is in a file of its own.
import fs from 'node:fs'
import path from 'node:path'
import {createCertificates} from '../support/certificates.ts'
import {temporaryFolder} from '../support/svc.ts'

export interface Authority {
  // The PEM file of a certificate authority that is not trusted yet.
  file: string
  key: string
  cert: string
}

export function createAuthority(options: {days?: number; host?: string} = {}): Authority {
  const {root, key, cert} = createCertificates(options)
  const file = path.join(temporaryFolder(), 'authority.pem')
  fs.writeFileSync(file, root)
  return {file, key, cert}
}
