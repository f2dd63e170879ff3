// Prints a JSON document that is mostly one long list, from texts of its rows.
import type { OpenRowFile } from '../../disk/state/row-file.ts'
import { escapeRaw } from '../print/clean.ts'
import type { Output } from '../print/output.ts'
import type { TextRange } from './merge.ts'

const INDENT = 2
const ROWS = 'sessions'
const START = `{\n  "${ROWS}": [`
const END = '\n  ]\n}'
/** Used again and again, so that it stays in the cache of the processor. */
const BATCH_BYTES = 256 * 1024

/** With the comma that separates it from the row before. */
export function rowText(row: object): Buffer {
  const document = JSON.stringify({ [ROWS]: [row] }, null, INDENT)
  return Buffer.from(`,${escapeRaw(document.slice(START.length, -END.length))}`)
}

/** The same text as that of one object with the list and then the other fields. `file` has the text of the ranges. */
export async function printTexts(
  output: Output,
  file: Pick<OpenRowFile, 'readText'> | undefined,
  texts: Iterable<Buffer | TextRange>,
  others: Record<string, unknown>,
): Promise<void> {
  const batch = Buffer.allocUnsafe(BATCH_BYTES)
  let size = 0
  let isFirst = true
  const flush = async (): Promise<void> => {
    if (size > 0) await output.writeBytes(batch.subarray(0, size))
    size = 0
  }
  const add = async (text: Buffer | TextRange): Promise<void> => {
    const isRange = !Buffer.isBuffer(text)
    const end = isRange ? text.end : text.length
    for (let at = isRange ? text.start : 0; at < end; ) {
      if (size === batch.length) await flush()
      const next = Math.min(end, at + batch.length - size)
      if (isRange) file?.readText(at, batch.subarray(size, size + next - at))
      else text.copy(batch, size, at, next)
      size += next - at
      at = next
    }
  }
  await add(Buffer.from(START))
  for (const text of texts) {
    const isEmpty = Buffer.isBuffer(text) ? text.length === 0 : text.start === text.end
    if (isEmpty) continue
    await add(isFirst ? withoutComma(text) : text)
    isFirst = false
  }
  const rest = escapeRaw(JSON.stringify(others, null, INDENT)).slice('{'.length)
  await add(Buffer.from(`${isFirst ? '' : '\n  '}],${rest}\n`))
  await flush()
}

function withoutComma(text: Buffer | TextRange): Buffer | TextRange {
  return Buffer.isBuffer(text) ? text.subarray(1) : { start: text.start + 1, end: text.end }
}
