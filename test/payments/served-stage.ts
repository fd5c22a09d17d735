// A stage whose service other processes reach over real sockets, and whose clock they move.
import path from 'node:path'
import {FileClock} from '../support/scripted/clock.ts'
import {serveFake} from '../support/scripted-service.ts'
import {Stage, newFolder} from './stage.ts'

export async function serveStage() {
  const clockFile = path.join(newFolder(), 'clock')
  const stage = new Stage('journals', {clock: new FileClock(clockFile)})
  const {url} = await serveFake(stage.service)
  return {stage, url, clockFile, journalFile: stage.journal()}
}
