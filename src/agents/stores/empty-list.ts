// A document without any message is an empty conversation, or one whose list is lost. Only the first is a
// valid reading.
import { parseJson } from '../../bytes/json.ts'
import { readSmallFile } from '../../disk/files/read.ts'
import { quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import { asArray, asObject } from './values.ts'

/** A longer document has content. Without a list to hold it, it is not a session. */
const EMPTY_DOCUMENT_BYTES = 64 * 1024

/**
 * Throws unless the document at `path` itself has an empty list. Called if a complete document gave no
 * elements.
 */
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
