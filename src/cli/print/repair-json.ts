// What a repair did, as JSON.
import { type ByteEdit, isPatch } from '../../model/plan.ts'
import type { Repaired } from '../../repair/repair.ts'

export function repairTotals(repaired: readonly Repaired[]): Record<string, number> {
  const totals: Record<string, number> = {
    sessions: repaired.length,
    repaired: 0,
    already_healthy: 0,
    failed: 0,
    refused: 0,
  }
  for (const { report } of repaired) totals[report.status] = (totals[report.status] ?? 0) + 1
  return totals
}

/** The JSON of `check`, plus the report. A dry run adds the plan. */
export function repairJson({ verdict, report, changes }: Repaired, isDryRun: boolean): object {
  return { ...verdict, repair: report, ...(isDryRun ? { plan: changes.map(readable) } : {}) }
}

/**
 * The same fields, with bytes in base64. A value of a row that is bytes is an object, to tell it from text.
 */
function readable(change: Repaired['changes'][number]): object {
  if (isPatch(change)) return { ...change, edits: change.edits.map(readableEdit) }
  if (change.type !== 'write')
    return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, plain(value)]))
  const { bytes, modifiedNs, ...rest } = change
  return { ...rest, bytes: base64(bytes), ...(modifiedNs === undefined ? {} : { modifiedNs: String(modifiedNs) }) }
}

function readableEdit({ bytes, old, ...rest }: ByteEdit): object {
  return { ...rest, bytes: base64(bytes), ...(old === undefined ? {} : { old: base64(old) }) }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Numbers beyond those of JSON become text. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return { base64: base64(value) }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}
