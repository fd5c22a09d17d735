// Asks for the image of a document by its path, with completion, judges what is there, and offers to convert it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {type ImageLibrary, convertImage, loadImageLibrary} from '../documents/convert-image.ts'
import {storeConvertedImage} from '../documents/converted-images.ts'
import {isDocumentPath, resolveDocumentPath} from '../documents/document-fields.ts'
import {inspectDocument} from '../documents/inspect-document.ts'
import {askLine, askYesNo} from '../../cli/wizard/prompts.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {printText} from '../../cli/wizard/print.ts'

const expandHome = (text: string) => text.replace(/^~(?=$|\/)/, os.homedir())

// The beginning that all of them share.
const findCommonPrefix = ([first = '', ...others]: readonly string[]) =>
  others.reduce((shared, name) => {
    let length = 0
    while (length < shared.length && shared[length] === name[length]) length++
    return shared.slice(0, length)
  }, first)

// What Tab makes of a path: as much of it as is certain.
export function completePath(text: string): string {
  if (text === '~') return '~/'
  const full = expandHome(text)
  const folder = full.endsWith('/') ? full : path.dirname(full)
  const begun = full.endsWith('/') ? '' : path.basename(full)
  let names: string[]
  try {
    names = fs.readdirSync(folder || '.')
  } catch {
    // A folder that cannot be read completes nothing.
    return text
  }
  // Hidden files are meant only by whoever types their dot.
  const fitting = names.filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
  if (fitting.length === 0) return text
  const common = findCommonPrefix(fitting)
  const isFolder =
    fitting.length === 1 && fs.statSync(path.join(folder, common), {throwIfNoEntry: false})?.isDirectory()
  const completed = text.slice(0, text.length - begun.length) + common
  return isFolder ? `${completed}/` : completed
}

// Paths dragged into a terminal come with quotes or with blanks behind backslashes.
const unquote = (text: string) =>
  /^(['"]).*\1$/.test(text) ? text.slice(1, -1) : fs.existsSync(expandHome(text)) ? text : text.replaceAll('\\ ', ' ')

const resolveTypedPath = (text: string) => path.resolve(expandHome(unquote(text)))

function findFileProblem(text: string, isRequired: boolean): string | undefined {
  if (text === '') return isRequired ? 'It is needed' : undefined
  const found = fs.statSync(resolveTypedPath(text), {throwIfNoEntry: false})
  if (!found) return 'There is no such file: check the path; Tab completes it'
  if (found.isDirectory()) return 'It is a folder: go on to the file in it; Tab completes it'
  return found.isFile() ? undefined : 'It is not a plain file'
}

const skipHint = 'Enter alone skips it'
const keepHint = 'Enter alone keeps the one that was given'

const noLibraryNotice =
  'svc converts pictures only where its optional image library is installed, and here it is not: export the picture as JPG (on a Mac: sips -s format jpeg FILE --out NEW.jpg), or install svc with its optional dependencies'

const rotatedNotice = 'It lies on its side or head: the camera only noted how to turn it, and not every reader does.'

async function offerConversion(library: ImageLibrary, file: string): Promise<boolean> {
  if (!(await askYesNo('Convert it into a JPG that is taken? Your file stays as it is', true))) return false
  const made = await convertImage(library, file)
  if ('problem' in made) {
    printText(`It ${made.problem}.`)
    return false
  }
  storeConvertedImage(file, made.image)
  return true
}

// What is wrong with a file, unless it can be converted.
async function findRejection(file: string): Promise<string | undefined> {
  const {problem, isConvertible} = await inspectDocument(file)
  if (problem === undefined) return undefined
  if (!isConvertible) return `It ${problem}`
  return (await loadImageLibrary()) ? undefined : `It ${problem}. ${noLibraryNotice}`
}

// Whether the file can be taken, if need be after a conversion.
async function acceptOrConvert(file: string): Promise<boolean> {
  const {problem, isTurned} = await inspectDocument(file)
  if (problem === undefined && !isTurned) return true
  printText(problem === undefined ? rotatedNotice : `It ${problem}.`)
  const library = await loadImageLibrary()
  if (library && (await offerConversion(library, file))) return true
  if (problem !== undefined) return false
  if (!library) printText(`${noLibraryNotice}.`)
  return askYesNo('Take it as it is?', true)
}

// Whether an answer that was given earlier still stands: the file may be gone or changed since.
export async function isValidDocument(value: unknown): Promise<boolean> {
  if (!isDocumentPath(value)) return true
  const {problem} = await inspectDocument(resolveDocumentPath(value, process.cwd()))
  return problem === undefined
}

export async function askDocument({label, hint, isRequired}: Question, present: unknown): Promise<unknown> {
  let offered = isDocumentPath(present) ? present : undefined
  // Content that a file brought along is not shown, and stays unless a path is typed.
  const kept = isDocumentPath(present) ? undefined : present
  const ofNothing = kept === undefined ? skipHint : keepHint
  const isNeeded = isRequired && kept === undefined
  for (;;) {
    const text = await askLine({
      message: `${label}:`,
      hint: isNeeded ? hint : `${hint}. ${ofNothing}`,
      initial: offered,
      check: (typed) => findFileProblem(typed, isNeeded),
      validate: async (typed) => (typed === '' ? undefined : findRejection(resolveTypedPath(typed))),
      complete: completePath,
    })
    if (text === '') return kept
    const file = resolveTypedPath(text)
    if (await acceptOrConvert(file)) return file
    offered = text
  }
}
