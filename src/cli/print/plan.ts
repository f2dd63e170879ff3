// Prints a plan as a diff: for each edit the bytes that are there, the bytes that replace them, and why.
import { openFile } from '../../disk/files/read.ts'
import { formatNumber } from '../../model/format-number.ts'
import type { ByteEdit, Change, Patch, RowChange } from '../../model/plan.ts'
import { cleanLine, cleanText } from './clean.ts'
import type { Output } from './output.ts'
import { plural } from './words.ts'

/** `--json` prints all of them. */
const MAX_EDITS_SHOWN = 20
const MAX_SHOWN_BYTES = 160
/** Bytes shown on either side of an edit. */
const CONTEXT_BYTES = 48

export function formatPlan(output: Output, changes: readonly Change[], storeRoot: string): string {
  return changes.flatMap(change => describeChange(output, change, storeRoot)).join('\n')
}

function describeChange(output: Output, change: Change, storeRoot: string): string[] {
  switch (change.type) {
    case 'patch':
      return describePatch(output, change, storeRoot)
    case 'remove':
      return [title(output, change.file, 'moved to the vault', change.reason)]
    case 'write':
      return [title(output, change.file, 'rewritten', change.reason), plus(output, change.bytes)]
    case 'row':
      return describeRow(output, change)
    case 'rebuild-database':
      return [title(output, change.file, 'every readable row copied into a new database', change.reason)]
  }
}

function title(output: Output, file: string, what: string, reason: string): string {
  return `${output.style('bold', cleanLine(file))}: ${what} ${output.style('dim', `(${cleanLine(reason)})`)}`
}

function describePatch(output: Output, patch: Patch, storeRoot: string): string[] {
  const keepsLength = patch.edits.every(edit => edit.bytes.length === edit.end - edit.start)
  const way = keepsLength ? 'in place' : 'as a new file that replaces it'
  const lines = [`${output.style('bold', cleanLine(patch.file))}: ${plural(patch.edits.length, 'edit')}, ${way}`]
  const file = openFile(patch.file, storeRoot)
  try {
    for (const edit of patch.edits.slice(0, MAX_EDITS_SHOWN))
      lines.push(...describeEdit(output, edit, (start, end) => file.range(start, end)))
  } finally {
    file.close()
  }
  const more = patch.edits.length - MAX_EDITS_SHOWN
  return more > 0 ? [...lines, output.style('dim', `  and ${plural(more, 'more edit')}`)] : lines
}

function describeEdit(output: Output, edit: ByteEdit, read: (start: number, end: number) => Buffer): string[] {
  const from = Math.max(0, edit.start - CONTEXT_BYTES)
  const before = lastLine(read(from, edit.start))
  const after = firstLine(read(edit.end, edit.end + CONTEXT_BYTES))
  const old = read(edit.start, Math.min(edit.end, edit.start + MAX_SHOWN_BYTES))
  const place = `@@ byte ${formatNumber(edit.start)} @@ ${edit.damage}: ${cleanLine([edit.reason, edit.detail].filter(text => text !== undefined).join('. '))}`
  return [
    `  ${output.style('accent', place)}`,
    `  ${output.style('bad', `- ${before}${visible(old, edit.end - edit.start)}${after}`)}`,
    `  ${output.style('good', `+ ${before}${visible(edit.bytes.subarray(0, MAX_SHOWN_BYTES), edit.bytes.length)}${after}`)}`,
  ]
}

function lastLine(bytes: Buffer): string {
  return printable(bytes.subarray(bytes.lastIndexOf(0x0a) + 1))
}

function firstLine(bytes: Buffer): string {
  const newline = bytes.indexOf(0x0a)
  return printable(newline === -1 ? bytes : bytes.subarray(0, newline))
}

/** Long runs of one byte are counted instead of shown. */
function visible(bytes: Buffer, length: number): string {
  if (length === 0) return ''
  if (length > 8 && bytes.every(byte => byte === 0x20)) return `⟨${formatNumber(length)} spaces⟩`
  if (length > 8 && bytes.every(byte => byte === 0)) return `⟨${formatNumber(length)} zeros⟩`
  const text = printable(bytes)
  return length > bytes.length ? `${text}⟨… ${formatNumber(length - bytes.length)} bytes more⟩` : text
}

function printable(bytes: Buffer): string {
  return cleanText(bytes.toString('utf8')).replaceAll('\n', '␊')
}

function plus(output: Output, bytes: Buffer): string {
  return `  ${output.style('good', `+ ${visible(bytes.subarray(0, MAX_SHOWN_BYTES), bytes.length)}`)}`
}

function describeRow(output: Output, change: RowChange): string[] {
  const key = Object.entries(change.key).map(([name, value]) => `${name} = ${cleanLine(String(value))}`)
  const lines = [title(output, change.file, `table ${change.table}, row ${key.join(', ')}`, change.reason)]
  if (change.change.type === 'delete')
    return [...lines, `  ${output.style('bad', '- the row; it is kept in the receipt')}`]
  const values = change.change.type === 'insert' ? change.change.values : change.change.set
  const set = Object.entries(values).map(([name, value]) => {
    const text =
      value instanceof Uint8Array ? `${value.length} bytes` : cleanLine(String(value)).slice(0, MAX_SHOWN_BYTES)
    return `  ${output.style('good', `+ ${name}: ${text}`)}`
  })
  return [...lines, ...set]
}
