// Drafts: what was entered so far, in a file that only its owner reads, and that `-f` takes as well.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, systemCode} from '../errors.ts'
import type {Body} from '../terminal/assignments.ts'
import {toYaml} from '../terminal/formats.ts'
import {writeErr} from '../terminal/streams.ts'
import {askLine} from './prompts.ts'

export interface Drafts {
  // Asks where to, if nobody has said so yet.
  save(body: Body): Promise<void>
  // On leaving, what was entered is kept if a file was named for it.
  leave(body: Body): Promise<void>
}

const ownerOnly = 0o600

// Written beside and put in place, so that a crash leaves the earlier draft or this one.
function write(file: string, text: string): void {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
  try {
    fs.writeFileSync(beside, text, {mode: ownerOnly, flag: 'wx'})
    fs.renameSync(beside, file)
  } catch (cause) {
    fs.rmSync(beside, {force: true})
    throw badUsage(
      `The draft cannot be written to ${file} (${systemCode(cause) ?? 'unknown'})`,
      'Name another file',
      cause,
    )
  }
}

const heading = (command: string, flag: string) =>
  `# A draft of \`svc ${command}\`${flag === '--resume' ? ', with personal data in it' : ''}. Go on with: svc ${command} ${flag} FILE\n`

// `flag` is what takes the draft up again.
export function draftsIn(file: string | undefined, command: string, flag = '--resume'): Drafts {
  let named = file
  const isEmpty = (body: Body) => Object.keys(body).length === 0
  const put = async (body: Body, to: string) => {
    write(to, heading(command, flag) + (await toYaml(body)))
    writeErr(`Saved to ${to}; go on later with ${flag} ${to}\n`)
  }
  return {
    async save(body) {
      if (isEmpty(body)) return writeErr('There is nothing to save yet.\n')
      named ??= await askLine({
        message: 'Save as:',
        offered: 'draft.yaml',
        check: (text) => (text ? undefined : 'It is needed'),
      })
      await put(body, named)
    },
    async leave(body) {
      if (named !== undefined && !isEmpty(body)) await put(body, named)
    },
  }
}

// For what is too short to be worth a draft.
export const keptNowhere: Drafts = {
  save: async () => writeErr('There is nothing to save here.\n'),
  leave: async () => {},
}
