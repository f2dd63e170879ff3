// Prints a JSON document that is mostly one long list, a few entries at a time: one text of ten thousand would take
// three times its memory, and twice the time.
import { JsonWriter } from './json-writer.ts'
import type { Output } from './output.ts'

const ROWS_AT_ONCE = 100
const INDENT = 2
/** The end of a document whose only field is a list. */
const END = '\n  ]\n}'

/** The same text as that of one object with the list under this name, and then the other fields. */
export async function printRows(
  output: Output,
  name: string,
  rows: readonly object[],
  others: Record<string, unknown>,
): Promise<void> {
  const writer = new JsonWriter(output)
  const start = `{\n  ${JSON.stringify(name)}: [`
  await writer.add(start)
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const document = JSON.stringify({ [name]: rows.slice(at, at + ROWS_AT_ONCE) }, null, INDENT)
    await writer.add((at === 0 ? '' : ',') + document.slice(start.length, -END.length))
  }
  const rest = JSON.stringify(others, null, INDENT).slice('{'.length)
  await writer.add(`${rows.length === 0 ? '' : '\n  '}],${rest}\n`)
  await writer.flush()
}
