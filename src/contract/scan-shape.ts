// Checks the bytes of a JSON document against a shape without parsing it, for long lists whose items are printed as they came.
// It accepts only what JSON.parse reads, what matches the shape, and numbers that a float keeps. Anything unusual, such as white
// space between tokens, is not accepted although it may be valid: then the document has to be parsed.
import type {CompiledShape} from './match-shape.ts'
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  isAsciiText,
  isDigit,
  isUsualTime,
  isUsualUuid,
  openBrace,
  openBracket,
  quote,
  readText,
  rejected,
  scanNumber,
  scanPlainText,
  scanText,
  startsWith,
  toBytes,
} from './scan-text.ts'
import {formats} from './shape.ts'

const [letterF, letterN, letterT] = [0x66, 0x6e, 0x74]

const depthMax = 100
// A document with more keys than that is not worth learning.
const unknownFieldsMax = 64
const followersMax = 8

const literals = {true: toBytes('true'), false: toBytes('false'), null: toBytes('null')}

// A field of an object with what was seen behind it, because most objects of a list have their fields in the same order.
interface ScannedField {
  // The name with its quotes and the colon.
  token: Uint8Array
  // Undefined for what the contract does not describe.
  shape: ScannedShape | undefined
  isRequired: boolean
  // The list whose items are cut out, and the id of its items.
  isList: boolean
  isId: boolean
  followers: ScannedField[]
  // The last object that had this field. A field that comes twice is not accepted: JSON.parse would take the second one.
  seenIn: number
}

interface ScannedShape {
  allowsText: boolean
  allowsNumber: boolean
  allowsBoolean: boolean
  allowsNull: boolean
  allowsObject: boolean
  allowsArray: boolean
  format: RegExp | undefined
  lengthMin: number
  min: number
  max: number
  items: ScannedShape | undefined
  fields: Map<string, ScannedField>
  unknownFields: number
  requiredCount: number
  // Stands before the first field.
  start: ScannedField
}

export interface Scan {
  // Ends with a byte that no JSON has, so that nothing has to look for the end.
  bytes: Uint8Array
  isAscii: boolean
  // Counts the objects.
  objects: number
  // Where the first item of the list begins, and what comes behind each item: commas and the closing bracket.
  listStart: number
  separators: number[]
  // Where the id of each item begins and ends, if ids have a format and so are plain text.
  ids: number[]
  idStart: number
  idEnd: number
}

const createField = (
  name: string,
  {shape, isRequired = false, isList = false, isId = false}: Partial<ScannedField> = {},
): ScannedField => ({
  token: toBytes(`"${name}":`),
  shape,
  isRequired,
  isList,
  isId,
  followers: [],
  seenIn: 0,
})

export interface ScanNames {
  itemsKey: string
  idField: string
}

// Shapes learn the order of fields, so each scanner has its own. Fields are marked by the depth of the shape: the list is a field
// of the outermost one, and the id a field of its items.
export function createScannedShape(compiled: CompiledShape, names?: ScanNames, depth = 0): ScannedShape {
  const {types, fields, items} = compiled
  const allows = (type: string) => types.length === 0 || types.includes(type)
  const scanned: ScannedShape = {
    allowsText: compiled.isText,
    allowsNumber: allows('number') || allows('integer'),
    allowsBoolean: allows('boolean'),
    allowsNull: allows('null'),
    allowsObject: allows('object'),
    allowsArray: allows('array'),
    format: compiled.format,
    lengthMin: compiled.lengthMin,
    min: compiled.min,
    max: compiled.max,
    items: items && createScannedShape(items, names, depth + 1),
    fields: new Map(),
    unknownFields: 0,
    requiredCount: compiled.requiredCount,
    start: createField(''),
  }
  for (const [name, {shape, isRequired}] of fields) {
    const isList = depth === 0 && name === names?.itemsKey
    // The items are two steps below the outermost shape: its list, and then what that holds.
    const isId = depth === 2 && name === names?.idField
    const inner = createScannedShape(shape, isList ? names : undefined, depth + 1)
    scanned.fields.set(name, createField(name, {shape: inner, isRequired, isList, isId}))
  }
  return scanned
}

// A field that did not follow this one so far. Names with escapes or with characters beyond ASCII are not accepted, nor names
// that begin with a digit: JavaScript may put those first.
function learnField(bytes: Uint8Array, at: number, shape: ScannedShape, previous: ScannedField) {
  if (bytes[at] !== quote || isDigit(bytes[at + 1] ?? 0)) return undefined
  const end = scanPlainText(bytes, at + 1)
  if (end === rejected || bytes[end] !== colon || !isAsciiText(bytes, at, end)) return undefined
  const name = readText(bytes, at + 1, end - 1)
  let field = shape.fields.get(name)
  if (!field) {
    if (++shape.unknownFields > unknownFieldsMax) return undefined
    field = createField(name)
    shape.fields.set(name, field)
  }
  if (previous.followers.length < followersMax) previous.followers.push(field)
  return field
}

// From behind the opening brace to behind the closing one.
function scanObject(scan: Scan, start: number, shape: ScannedShape, depth: number): number {
  const {bytes} = scan
  const object = ++scan.objects
  let at = start
  let requiredLeft = shape.requiredCount
  let previous = shape.start
  if (bytes[at] === closeBrace) return requiredLeft === 0 ? at + 1 : rejected
  for (;;) {
    const {followers} = previous
    let field: ScannedField | undefined
    for (let index = 0; index < followers.length; index++) {
      const follower = followers[index] as ScannedField
      if (!startsWith(bytes, at, follower.token)) continue
      field = follower
      break
    }
    field ??= learnField(bytes, at, shape, previous)
    if (field === undefined || field.seenIn === object) return rejected
    field.seenIn = object
    at += field.token.length
    if (bytes[at] === letterN) {
      // Null counts as absent.
      if (!startsWith(bytes, at, literals.null)) return rejected
      at += literals.null.length
    } else {
      const valueAt = at
      at = field.isList ? scanList(scan, at, field.shape, depth) : scanValue(scan, at, field.shape, depth)
      if (at === rejected) return rejected
      if (field.isRequired) requiredLeft--
      if (field.isId && field.shape?.format !== undefined && bytes[valueAt] === quote) {
        scan.idStart = valueAt + 1
        scan.idEnd = at - 1
      }
    }
    if (bytes[at] === closeBrace) return requiredLeft === 0 ? at + 1 : rejected
    if (bytes[at] !== comma) return rejected
    at++
    previous = field
  }
}

// Behind the value, or rejected. Without a shape, any value is accepted that JSON.parse reads without changing it.
export function scanValue(scan: Scan, at: number, shape: ScannedShape | undefined, depth: number): number {
  const code = scan.bytes[at] ?? 0
  if (code === quote) {
    if (shape === undefined) return scanText(scan.bytes, at + 1)
    return shape.allowsText ? scanShapedText(scan, at + 1, shape) : rejected
  }
  if (code === openBrace) {
    if (depth > depthMax) return rejected
    if (shape === undefined) return scanAnyObject(scan, at + 1, depth + 1)
    return shape.allowsObject ? scanObject(scan, at + 1, shape, depth + 1) : rejected
  }
  if (code === openBracket)
    return depth <= depthMax && (shape === undefined || shape.allowsArray)
      ? scanArray(scan, at + 1, shape?.items, depth + 1)
      : rejected
  if (code === letterT) return scanLiteral(scan.bytes, at, literals.true, shape === undefined || shape.allowsBoolean)
  if (code === letterF) return scanLiteral(scan.bytes, at, literals.false, shape === undefined || shape.allowsBoolean)
  if (code === letterN) return scanLiteral(scan.bytes, at, literals.null, shape === undefined || shape.allowsNull)
  if (shape === undefined) return scanNumber(scan.bytes, at, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  return shape.allowsNumber ? scanNumber(scan.bytes, at, shape.min, shape.max) : rejected
}

const scanLiteral = (bytes: Uint8Array, at: number, literal: Uint8Array, isAllowed: boolean) =>
  isAllowed && startsWith(bytes, at, literal) ? at + literal.length : rejected

// Text with a format or a least length is accepted only without escapes, so that its bytes are its characters.
function scanShapedText({bytes, isAscii}: Scan, start: number, {format, lengthMin}: ScannedShape): number {
  if (format === undefined && lengthMin === 0) return scanText(bytes, start)
  const behind = scanPlainText(bytes, start)
  const end = behind - 1
  if (behind === rejected || end - start < lengthMin || !(isAscii || lengthMin <= 1)) return rejected
  if (format === undefined) return behind
  if (format === uuidFormat && isUsualUuid(bytes, start, end)) return behind
  if (format === timeFormat && isUsualTime(bytes, start, end)) return behind
  return format.test(readText(bytes, start, end)) ? behind : rejected
}

const uuidFormat = formats['uuid']?.test
const timeFormat = formats['date-time']?.test

function scanArray(scan: Scan, start: number, items: ScannedShape | undefined, depth: number): number {
  const {bytes} = scan
  let at = start
  if (bytes[at] === closeBracket) return at + 1
  for (;;) {
    at = scanValue(scan, at, items, depth)
    if (at === rejected) return rejected
    if (bytes[at] === closeBracket) return at + 1
    if (bytes[at] !== comma) return rejected
    at++
  }
}

function scanAnyObject(scan: Scan, start: number, depth: number): number {
  const {bytes} = scan
  let at = start
  if (bytes[at] === closeBrace) return at + 1
  for (;;) {
    if (bytes[at] !== quote) return rejected
    at = scanText(bytes, at + 1)
    if (at === rejected || bytes[at] !== colon) return rejected
    at = scanValue(scan, at + 1, undefined, depth)
    if (at === rejected) return rejected
    if (bytes[at] === closeBrace) return at + 1
    if (bytes[at] !== comma) return rejected
    at++
  }
}

// The list of the page, of objects, whose places are noted.
function scanList(scan: Scan, start: number, shape: ScannedShape | undefined, depth: number): number {
  const {bytes} = scan
  if (bytes[start] !== openBracket || !shape?.allowsArray) return rejected
  let at = start + 1
  scan.listStart = at
  for (;;) {
    scan.idStart = rejected
    // An empty list has nothing to cut.
    if (bytes[at] !== openBrace) return rejected
    at = scanValue(scan, at, shape.items, depth + 1)
    if (at === rejected) return rejected
    if (scan.idStart !== rejected) scan.ids.push(scan.idStart, scan.idEnd)
    scan.separators.push(at)
    if (bytes[at] === closeBracket) return at + 1
    if (bytes[at] !== comma) return rejected
    at++
  }
}
