// Reads a session that is one JSON document, rewritten whole each time. A damaged one is read as after a
// repair: every complete message, before and after the damage.

import type { DocumentItem } from '../../bytes/document.ts'
import { parseJson } from '../../bytes/json.ts'
import {
  type DocumentFault,
  type DocumentPlan,
  losesBytes,
  planDocument,
  type Structure,
} from '../../bytes/salvage/index.ts'
import { readSalvaged } from '../../bytes/salvage/read.ts'
import { openFile, readSmallFile } from '../../disk/files/read.ts'
import { emptyFile, quote } from '../../disk/files/system-errors.ts'
import { RethreadError } from '../../model/errors.ts'
import type { Findings } from '../../model/finding.ts'
import type { FilePlace } from '../../model/message.ts'
import type { PartialCause } from '../../model/reading.ts'
import { withKernel } from './prove-lines.ts'
import { asArray, asObject } from './values.ts'

export type DocumentPart =
  | { type: 'field'; key: string; value: unknown; at: FilePlace }
  | { type: 'element'; value: unknown; at: FilePlace }

export interface DocumentReadingEnd {
  /** Whether the document was closed. */
  complete: boolean
  /** The offset after the last complete field or element. */
  parsedUpTo: number
  fileSize: number
  cause: PartialCause | undefined
}

/** Fields and elements in the order of the file. Throws if the file does not start as a document. */
export function* readDocumentFile(
  path: string,
  storeRoot: string,
  structure: Structure,
  findings: Findings,
): Generator<DocumentPart, DocumentReadingEnd, void> {
  const file = openFile(path, storeRoot)
  try {
    const { size: fileSize } = file.identity
    if (fileSize === 0) throw emptyFile(path)
    // A file that shrinks during the reading counts as cut.
    const bytes = withKernel({ size: fileSize, range: file.range })
    const plan = planDocument(bytes, structure)
    for (const fault of plan.faults) addFault(path, fault, findings)
    const reading = readSalvaged(bytes, plan, structure.fields)
    let step = reading.next()
    for (; !step.done; step = reading.next()) {
      const part = placed(step.value, path, findings)
      if (part !== undefined) yield part
    }
    const { isDocument, parsedUpTo } = step.value
    if (!isDocument) throw notADocument(path)
    const complete = step.value.complete && !isCut(plan)
    if (!complete) addCut(path, parsedUpTo, fileSize, findings)
    return { complete, parsedUpTo, fileSize, cause: complete ? undefined : CUT_SHORT }
  } finally {
    file.close()
  }
}

function isCut({ faults }: DocumentPlan): boolean {
  return faults.some(({ kind }) => kind === 'cut')
}

const CUT_SHORT: PartialCause = {
  code: 'document-cut-short',
  text: 'The document is not complete: the agent may still be writing it, or it was cut short.',
}

function placed(item: DocumentItem, path: string, findings: Findings): DocumentPart | undefined {
  const at = { file: path, start: item.start, end: item.end }
  if (item.type !== 'junk') return { ...item, at }
  addLost(path, item, `${item.end - item.start} bytes inside the document are not JSON; they were left out.`, findings)
  return undefined
}

/** Invalid white space, a superfluous comma and a second copy of everything lose nothing. */
function addFault(path: string, fault: DocumentFault, findings: Findings): void {
  const { kind, start, end } = fault
  switch (kind) {
    case 'broken':
    case 'rest':
      addLost(path, fault, `${end - start} bytes inside the document are not JSON; they were left out.`, findings)
      return
    case 'text':
    case 'structure':
      findings.add({
        damage: 'malformed-element',
        severity: losesBytes(fault) ? 'lost' : 'survived',
        at: { file: path, start, end },
        text: kind === 'text' ? TEXT : STRUCTURE,
        hint: `See the bytes: rethread show --raw ${quote(path)}`,
      })
      return
    case 'mark':
    case 'nuls':
    case 'comma':
    case 'cut':
    case 'copy':
    case 'fields':
      return
  }
}

const TEXT =
  'A text in the document holds bytes that JSON does not allow there; it is shown as a repair would leave it.'
const STRUCTURE = 'A comma, quote or bracket is missing in the document; it is shown as a repair would leave it.'

function addLost(path: string, { start, end }: { start: number; end: number }, text: string, findings: Findings): void {
  findings.add({
    damage: 'malformed-element',
    severity: 'lost',
    at: { file: path, start, end },
    text,
    hint: `See the bytes: rethread show --raw ${quote(path)}`,
  })
}

function addCut(path: string, parsedUpTo: number, size: number, findings: Findings): void {
  findings.add({
    damage: 'document-cut-short',
    severity: 'updating',
    at: { file: path, start: parsedUpTo, end: size },
    text: `The document is unreadable from byte ${parsedUpTo} of ${size} on; everything before was read.`,
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
