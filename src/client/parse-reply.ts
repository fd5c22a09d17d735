// Reads the text of a reply as JSON, and tells apart the replies that are not JSON.
import {parseJson} from '../values/json.ts'
import {type FailedRequest, createReplyFailure, createUnreadableReply} from './failures.ts'
import type {Reply} from './http.ts'

export interface ParsedReply {
  status: number
  body: unknown
  // The text that the body was parsed from.
  text?: string
  // The Link header, by which some services name the next page of a list.
  link?: string | undefined
}

export type ParsedText = {json: unknown; text: string} | {text: string}

export function parseText(text: string): ParsedText {
  try {
    return {json: parseJson(text), text}
  } catch {
    return {text}
  }
}

// Returns the body of a 2xx reply, and throws for every other status and for a body that is not JSON.
export function toParsedReply(failedRequest: FailedRequest, reply: Reply, parsed: ParsedText): ParsedReply {
  if (!reply.ok) throw createReplyFailure(failedRequest, reply, parsed)
  if ('json' in parsed) {
    const link = reply.headers.get('link') ?? undefined
    return {status: reply.status, body: parsed.json, text: parsed.text, link}
  }
  // A successful write may have an empty reply; a read without a body has failed.
  const mayBeEmpty = reply.status === 204 || failedRequest.method !== 'GET'
  if (parsed.text.trim() === '' && mayBeEmpty) return {status: reply.status, body: undefined}
  throw createUnreadableReply(failedRequest, reply.status, describeText(parsed.text), parsed.text)
}

function describeText(text: string): string {
  if (text.trim() === '') return 'an empty body'
  return /^\s*</.test(text) ? 'a web page instead of JSON' : 'a body that is not valid JSON'
}
