// Both scanners on the same bytes, and what each makes of them.
import type { Field } from '../../src/bytes/scanner/fields.ts'
import type { Kernel } from '../../src/bytes/scanner/kernel.ts'
import { ID_MARK, MARKS, NUMBERS_PER_ROW, TIME_MARK } from '../../src/bytes/scanner/kernel.ts'
import { loadScanner } from '../../src/disk/files/load-scanner.ts'
import { RecordIndex } from '../../src/repair/records/record-index.ts'
import { RecordRows } from '../../src/repair/records/record-rows.ts'
import { makeKernelScanner } from '../../src/repair/scan/kernel-scanner.ts'
import type { Describing, RecordScanner } from '../../src/repair/scan/record-scanner.ts'
import { javascriptScanner } from '../../src/repair/scan/record-scanner.ts'
import type { KnownStart, ScannedLog } from '../../src/repair/scan/scan-log.ts'
import { indexGrownLog } from '../../src/repair/scan/scan-log.ts'

function makeKernel(): Kernel {
  const kernel = loadScanner()
  if (kernel === undefined) throw new Error('This Node cannot run the scanner.')
  return kernel
}

export const SCANNERS = { js: javascriptScanner, wasm: makeKernelScanner(makeKernel()) }

/** The kernel by itself. */
const kernel = makeKernel()

/** Equal for every run, so that hashes can be compared. */
const SEEDS = { a: 123_456_789, b: 987_654_321 }

/** Everything that a scan leaves behind: every column byte for byte, the damage, and where a later pass may go on. */
export function scan(scanner: RecordScanner, chunks: Iterable<Buffer>, repair: Describing, seeds = SEEDS) {
  return resultOf(indexGrownLog(chunks, repair, emptyStart(seeds), scanner))
}

/** Nothing was scanned before. */
export function emptyStart(seeds = SEEDS): KnownStart {
  return { index: new RecordIndex(new RecordRows(seeds)), junk: [], moreJunk: 0, offset: 0, checksum: 0 }
}

export function resultOf({ log, resume }: ScannedLog) {
  const { rows } = log.index
  return {
    columns: Buffer.concat([...rows.bytes(rows.mark())]).toString('hex'),
    mark: rows.mark(),
    extra: rows.extra(rows.mark()),
    junk: log.junk,
    readUpTo: log.readUpTo,
    resume: resume === undefined ? undefined : { ...resume, mark: { ...resume.mark } },
  }
}

/** What the kernel says of each line: its bytes, and its shape with the slots filled in, or why it has none. */
export function kernelLines(bytes: Buffer, fields: Field): { line: Buffer; found: unknown }[] {
  const lines: { line: Buffer; found: unknown }[] = []
  const onRows = (count: number): void => {
    for (let row = 0; row < count; row++) {
      const line = Buffer.from(kernel.bytesOf(row))
      const [, , shape = 0, firstSlot = 0] = kernel.rows.subarray(row * NUMBERS_PER_ROW, (row + 1) * NUMBERS_PER_ROW)
      if (shape === 0xffffffff) lines.push({ line, found: 'unclear' })
      else if (shape === 0xfffffffe) lines.push({ line, found: 'not an object' })
      else {
        let slot = firstSlot
        const json = kernel.shape(shape).replace(MARKS, mark => JSON.stringify(slotText(mark, slot++)))
        lines.push({ line, found: JSON.parse(json) })
      }
    }
  }
  kernel.start(fields, SEEDS, 0)
  kernel.scan(bytes, onRows)
  kernel.finish(onRows)
  return lines
}

function slotText(mark: string, slot: number): string {
  if (mark === ID_MARK) return `id ${kernel.textAt(slot)}`
  return `${mark === TIME_MARK ? 'time' : 'number'} ${kernel.timeAt(slot)}`
}

const NOTHING = Symbol('nothing')

/** What is kept of a value by the definition of `Field`, in a plain way. */
export function keptOf(value: unknown, field: Field): unknown {
  const kept = keep(value, field, false)
  return kept === NOTHING ? undefined : kept
}

function keep(value: unknown, field: Field, isElement: boolean): unknown {
  if (Array.isArray(value)) {
    const { elements } = field
    const kept = elements === undefined ? [] : value.map(element => keep(element, elements, true))
    const list = kept.filter(element => element !== NOTHING)
    return field.isPruned === true && list.length === 0 ? NOTHING : list
  }
  if (typeof value === 'object' && value !== null) return keepObject(value, field)
  if (field.isPruned === true) return NOTHING
  if (typeof value === 'string') return keepString(value, field)
  if (typeof value === 'number') return field.leaf === 'word' ? value : field.leaf === 'number' ? `number ${value}` : 0
  return isElement || value !== undefined ? value : NOTHING
}

function keepObject(value: object, field: Field): unknown {
  const entries: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const named = Object.hasOwn(field.fields ?? {}, name) ? field.fields?.[name] : undefined
    const of = named ?? field.others
    const kept = of === undefined ? NOTHING : keep(inner, of, false)
    if (kept !== NOTHING) entries.push([named === undefined ? '*' : name, kept])
  }
  return field.isPruned === true && entries.length === 0 ? NOTHING : Object.fromEntries(entries)
}

function keepString(value: string, { leaf }: Field): unknown {
  switch (leaf) {
    case undefined:
    case 'count':
    case 'number':
      return ''
    case 'whole':
      return 'a record that the kernel should not have decided'
    case 'word':
      return value
    case 'text':
      return value === '' ? '' : value.trim() === '' ? ' ' : 'x'
    case 'id':
      return value === '' ? '' : `id ${value}`
    case 'time':
      return value === '' ? '' : `time ${Date.parse(value)}`
  }
}
