// Checks the image of a logo, by its content and not by its name.
import {imageSize} from 'image-size'
import {detectFormat} from '../../values/documents.ts'
import {ControlError} from '../operations/control-error.ts'

export interface Logo {
  type: string
  bytes: Buffer<ArrayBuffer>
  width: number
  height: number
}

const kilobyte = 1024
const logoBytesMax = 256 * kilobyte
const logoPixelsMin = 16
const logoPixelsMax = 2000

function measureImage(bytes: Buffer): {width: number; height: number} | undefined {
  try {
    return imageSize(bytes)
  } catch {
    return undefined
  }
}

export function checkLogo(bytes: Buffer<ArrayBuffer>): Logo {
  const format = detectFormat(bytes)
  const size = format?.hasPixels && format.isComplete(bytes) ? measureImage(bytes) : undefined
  if (!format || !size) throw new ControlError('The logo is not a complete PNG or JPG image: export it as one of them')
  if (bytes.length > logoBytesMax) {
    throw new ControlError(
      `The logo has ${Math.ceil(bytes.length / kilobyte)} KB, and at most ${logoBytesMax / kilobyte} KB are possible`,
    )
  }
  const {width, height} = size
  if (Math.min(width, height) < logoPixelsMin || Math.max(width, height) > logoPixelsMax) {
    throw new ControlError(
      `The logo has ${width}x${height} pixels; each side must have ${logoPixelsMin} to ${logoPixelsMax}`,
    )
  }
  return {type: format.mime, bytes, width, height}
}
