// Writes the completion scripts into a new folder of their owner alone, so that none of them is a link, or a file that somebody
// else can change. One process writes at a time: another would remove the folder under it.
import path from 'node:path'
import {getCacheFolder} from '../../storage/folders.ts'
import {renewPrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {withLock} from '../../storage/process-lock.ts'
import {type ShellName, shells} from './shells.ts'

// Returns the file for one shell. Those of the others are written too, since somebody may use several.
export async function writeScripts(shell: ShellName): Promise<string> {
  const cache = getCacheFolder()
  const folder = path.join(cache, 'autocomplete')
  await withLock(cache, 'autocomplete', async () => {
    renewPrivateFolder(folder)
    for (const {fileName, script} of Object.values(shells)) replacePrivateFile(path.join(folder, fileName), script)
  })
  return path.join(folder, shells[shell].fileName)
}
