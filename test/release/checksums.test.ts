// The checksums of a release and their signature, which ssh-keygen alone verifies.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {checkSignature, renderChecksums, signChecksums} from '../../scripts/package/checksums.ts'
import {createKey} from '../support/approvals.ts'
import {root, temporaryFolder} from '../support/svc.ts'

function createRelease() {
  const folder = temporaryFolder()
  const release = path.join(folder, 'release')
  fs.mkdirSync(release)
  for (const name of ['svc-0.1.0.tgz', 'svc-0.1.0-linux-x64.tar.gz']) fs.writeFileSync(path.join(release, name), name)
  const key = path.join(folder, 'key')
  const publicKey = createKey(key)
  const signers = path.join(folder, 'release_signers')
  fs.writeFileSync(signers, `releases@svc ${publicKey}\n`)
  return {folder, release, key, signers}
}

it('the checksums of a release are verified as docs/install.md says, and not if a line or the key is another one', () => {
  const {folder, release, key, signers} = createRelease()
  const checksums = renderChecksums(release)
  expect(checksums).toMatch(/^[0-9a-f]{64} {2}svc-0\.1\.0-linux-x64\.tar\.gz\n[0-9a-f]{64} {2}svc-0\.1\.0\.tgz\n$/)
  const signature = path.join(folder, 'SHA256SUMS.sig')
  const verify = (text: string) => {
    const [, command = ''] =
      /^ {4}(ssh-keygen -Y verify .*) < SHA256SUMS$/m.exec(
        fs.readFileSync(path.join(root, 'docs/install.md'), 'utf8'),
      ) ?? []
    const [program = '', ...args] = command.split(' ')
    return spawnSync(program, args, {cwd: path.dirname(signers), input: text}).status
  }
  fs.writeFileSync(signature, signChecksums(checksums, key))
  expect(checkSignature(checksums, signature)).toContain('Good "svc-release" signature')
  expect(verify(checksums)).toBe(0)
  expect(verify(checksums.replace(/^./, 'x'))).not.toBe(0)
  expect(() => checkSignature(`${checksums} `, signature)).toThrow('ssh-keygen')
  const other = path.join(folder, 'other')
  createKey(other)
  fs.writeFileSync(signature, signChecksums(checksums, other))
  expect(verify(checksums)).not.toBe(0)
})
