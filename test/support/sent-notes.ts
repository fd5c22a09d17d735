// The notes of what was sent to create a customer, which a test lets grow old.
import fs from 'node:fs'
import path from 'node:path'
import {type Home, json} from './svc.ts'

export const listSentNotes = ({folder}: Home): string[] =>
  fs.globSync('**/sent-customers/*.json', {cwd: folder}).map((name) => path.join(folder, name))

// Lets the note be sent so much earlier, by the time of day and by how long the machine was up.
export function ageSentNotes(home: Home, ms: number): void {
  for (const file of listSentNotes(home)) {
    const note = json(fs.readFileSync(file, 'utf8'))
    const aged = ['sentAtMs', 'sentAtUptimeMs'].map((field) => [field, Number(note[field]) - ms])
    fs.writeFileSync(file, JSON.stringify({...note, ...Object.fromEntries(aged)}))
  }
}
