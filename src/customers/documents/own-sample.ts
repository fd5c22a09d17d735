// Keeps the sample document where svc keeps its own files, so that a draft can name it.
import fs from 'node:fs'
import path from 'node:path'
import {getStateFolder} from '../../storage/folders.ts'
import {fileMode, makePrivateFolder} from '../../storage/private-file.ts'
import {createSampleDocument} from '../../values/sample-document.ts'

// Returns the path.
export function writeOwnSample(): string {
  const file = path.join(getStateFolder(), 'sample-document.png')
  makePrivateFolder(getStateFolder())
  fs.writeFileSync(file, createSampleDocument(), {mode: fileMode})
  return file
}
