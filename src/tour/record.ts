// Writes the recording.
import fs from 'node:fs'
import type {ShownStep} from './play.ts'
export function writeRecording(file: string, steps: readonly ShownStep[]): void {
  fs.writeFileSync(file, JSON.stringify(steps, undefined, 2))
}
