// A document without any message: an empty conversation, or one whose list is lost. The first is an answer, the second is not.
import { parseJson } from '../../bytes/json.ts'
import { readSmallFile } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { asArray, asObject } from './values.ts'

/** What is longer than this has content, and with no list to hold it is no session. */
const EMPTY_DOCUMENT_BYTES = 64 * 1024

/** Throws unless the document at `path` says itself that its list is empty. Call it when a complete document gave no elements. */
export function assertEmptyList(path: string, storeRoot: string, lists: readonly string[], fileSize: number): void {
  if (fileSize <= EMPTY_DOCUMENT_BYTES) {
    const document = asObject(parseJson(readSmallFile(path, storeRoot)))
    if (lists.some(list => asArray(document?.[list]) !== undefined)) return
  }
  throw new RethreadError({
    code: 'not-a-session',
    text: `${path} is a JSON document without a list of ${lists[0]}.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
  })
}
