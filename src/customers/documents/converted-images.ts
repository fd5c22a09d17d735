// The images that a person agreed to have converted, by the file they were made from. They live as long as this run of
// svc, in memory alone: they go into the request, and into no file and no draft. A draft names the original, and
// whoever resumes it is offered the conversion again.

const imagesByFile = new Map<string, Buffer>()

export const getConvertedImage = (file: string): Buffer | undefined => imagesByFile.get(file)

export function storeConvertedImage(file: string, image: Buffer): void {
  imagesByFile.set(file, image)
}
