// A process of its own for the tests: opens a store under a given umask, adds rows, and prints the modes of its files.
import fs from 'node:fs'
import {openNotes} from './notes.ts'

const [file = '', count = '0', umask = '22'] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))
const notes = openNotes(file)
for (let index = 0; index < Number(count); index++) {
  notes.transact(() => notes.run('insert into notes (text) values (?)', `${process.pid}-${index}`))
}
const modes = ['', '-wal', '-shm'].map((suffix) => (fs.statSync(file + suffix).mode & 0o777).toString(8))
notes.close()
process.stdout.write(JSON.stringify(modes))
