// The columns of a sample document that was written.
import type {View} from '../../cli/output/view.ts'

export const sampleDocumentView: View<{file: string; bytes: number}> = {
  singular: 'document',
  plural: 'documents',
  columns: [
    {name: 'file', header: 'FILE', value: (written) => written.file, rank: 0},
    {name: 'bytes', header: 'BYTES', value: (written) => written.bytes, rank: 1, align: 'right'},
  ],
}
