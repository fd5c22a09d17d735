// Serves a file that was uploaded with a form, by the reference that the form has for it.
import {documentFormats} from '../../values/document-format.ts'
import type {Reply} from '../http/reply.ts'
import {createPageHeaders} from '../../web/headers.ts'
import type {RequestContext} from '../service/request-context.ts'
import {referenceToEarlier} from './form-values.ts'
import {readEarlierValues} from './form-submission.ts'
import type {OpenedForm} from './hosted-form.ts'
import {findUpload} from './uploads.ts'

interface Content {
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

function readContent(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  reference: string,
): Content | undefined {
  if (!reference.startsWith(referenceToEarlier)) return findUpload(context, formToken, reference)
  const file = readEarlierValues(opened).files.get(reference.slice(referenceToEarlier.length))
  if (!file) return undefined
  const uri = file.toDataUri()
  return {type: file.type, bytes: Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')}
}

// Serves only the formats that the interface accepts. Images are shown in the page, other files are downloaded, and the
// policy keeps content from running.
export function createFileReply(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  reference: string,
): Reply | undefined {
  const content = readContent(context, formToken, opened, reference)
  const format = documentFormats.find(({mime}) => mime === content?.type)
  if (!content || !format) return undefined
  return {
    status: 200,
    headers: {
      ...createPageHeaders(),
      'content-type': format.mime,
      'content-disposition': format.hasPixels ? 'inline' : 'attachment; filename="document.pdf"',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    },
    bytes: content.bytes,
  }
}
