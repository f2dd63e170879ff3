// A session that is one JSON document, rewritten whole each time: read up to its last complete element.

import type { DocumentEnd, DocumentItem, DocumentShape } from '../../bytes/document.ts'
import { readDocument } from '../../bytes/document.ts'
import { emptyFile, quote } from '../../disk/errors.ts'
import { openFile } from '../../disk/read.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Findings } from '../../model/finding.ts'
import type { FilePlace } from '../../model/message.ts'
import type { PartialCause } from '../../model/reading.ts'

export type DocumentPart =
  | { type: 'field'; key: string; value: unknown; at: FilePlace }
  | { type: 'element'; value: unknown; at: FilePlace }

export interface DocumentReadingEnd extends DocumentEnd {
  fileSize: number
  cause: PartialCause | undefined
}

/** Fields and elements in the order of the file. A document that does not even begin as one is thrown. */
export function* readDocumentFile(
  path: string,
  storeRoot: string,
  shape: DocumentShape,
  findings: Findings,
): Generator<DocumentPart, DocumentReadingEnd, void> {
  const file = openFile(path, storeRoot)
  try {
    const reading = readDocument(file.chunks(), shape)
    let step = reading.next()
    for (; !step.done; step = reading.next()) {
      const part = placed(step.value, path, findings)
      if (part !== undefined) yield part
    }
    const end = step.value
    if (!end.isDocument) throw file.identity.size === 0 ? emptyFile(path) : notADocument(path)
    if (!end.complete) addCut(path, end, file.identity.size, findings)
    return { ...end, fileSize: file.identity.size, cause: end.complete ? undefined : CUT_SHORT }
  } finally {
    file.close()
  }
}

const CUT_SHORT: PartialCause = {
  code: 'document-cut-short',
  text: 'The document ends before it is complete: it may still be being written, or it was cut short.',
}

function placed(item: DocumentItem, path: string, findings: Findings): DocumentPart | undefined {
  const at = { file: path, start: item.start, end: item.end }
  if (item.type !== 'junk') return { ...item, at }
  findings.add({
    damage: 'malformed-element',
    severity: 'lost',
    at,
    text: `${item.end - item.start} bytes inside the document are not JSON; they were left out.`,
    hint: `See the bytes: rethread show --raw ${quote(path)}`,
  })
  return undefined
}

function addCut(path: string, end: DocumentEnd, size: number, findings: Findings): void {
  findings.add({
    damage: 'document-cut-short',
    severity: 'updating',
    at: { file: path, start: end.parsedUpTo, end: size },
    text: `The document stops making sense at byte ${end.parsedUpTo} of ${size}; everything before was read.`,
    hint: 'If the agent is running, read again in a moment. If it is not, the file was cut short.',
  })
}

function notADocument(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-session',
    text: `${path} is not a JSON document.`,
    hint: `See how it begins: head -c 200 ${quote(path)}`,
    path,
    offset: 0,
  })
}
