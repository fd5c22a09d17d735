// The hosted forms: what a browser gets at the addresses in verificationLink and bankAccountFormLink.
import type {Reply} from '../http/reply.ts'
import {html} from '../pages/html.ts'
import {pageReply} from '../pages/page.ts'
import type {Visit} from '../pages/routes.ts'

export async function answerForm({frameAncestors}: Visit, _folder: string): Promise<Reply> {
  return pageReply({title: 'Not here', body: html`<main><h1>Not here</h1></main>`}, {status: 404, frameAncestors})
}
