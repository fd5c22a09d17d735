// Converted images of this run, by the file they were made from. They are kept in memory only: a draft names the original
// file, and the conversion is offered again when the draft is resumed.

const imagesByFile = new Map<string, Buffer>()

export const getConvertedImage = (file: string): Buffer | undefined => imagesByFile.get(file)

export function storeConvertedImage(file: string, image: Buffer): void {
  imagesByFile.set(file, image)
}
