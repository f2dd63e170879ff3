// Whether a case went as promised: the repaired session sends everything but what was destroyed, never less than the damaged one, and as much as the check said.
import type { Outcome, Row } from './row.ts'

export interface Judged {
  /** What went wrong; empty where all went as promised. */
  faults: string[]
  damaged: number
  repaired: number
  /** What the agent was seen to load, in the check's own count. */
  measuredNow: number
  measuredAfter: number
}

export function judge(row: Row): Judged {
  const measuredNow = loadedOf(row, row.damaged)
  const measuredAfter = loadedOf(row, row.repaired)
  const damaged = countOf(row.damaged)
  const repaired = countOf(row.repaired)
  const faults: string[] = []
  if (row.repaired.missing.length > row.damaged.missing.length)
    faults.push('the repaired one says less than the damaged one')
  const lost = withoutFollowers(row.repaired.missing)
  if (!row.isBeyondRepair && lost.length > row.destroyed)
    faults.push(`${lost.length} are missing, ${row.destroyed} were destroyed`)
  if (measuredNow !== row.loads.now)
    faults.push(`the check said ${row.loads.now} for the damaged one, seen ${measuredNow}`)
  if (measuredAfter !== row.loads.afterRepair)
    faults.push(`the check said ${row.loads.afterRepair} after repair, seen ${measuredAfter}`)
  return { faults, damaged, repaired, measuredNow, measuredAfter }
}

/** A request that the model refuses is worth nothing. */
export function countOf(outcome: Outcome): number {
  return outcome.how === 'went on' ? outcome.sent : 0
}

/** What the model refuses was loaded all the same. What is sent beside the session (the new prompt, notes) is as in the healthy one. */
function loadedOf(row: Row, { stored }: Outcome): number {
  return Math.max(0, stored - (row.healthyStored - row.healthyLoads))
}

/** A result whose call is lost is of no use, and some agents drop it by themselves. */
function withoutFollowers(missing: readonly string[]): readonly string[] {
  const callOf = (unit: string): string | undefined => /"call_id":"([^"]+)"/.exec(unit)?.[1]
  const isResult = (unit: string): boolean => unit.includes('_call_output"')
  const calls = new Set(missing.filter(unit => !isResult(unit)).map(callOf))
  return missing.filter(unit => !(isResult(unit) && calls.has(callOf(unit))))
}

export function lineOf(row: Row): string {
  const { faults, damaged, repaired } = judge(row)
  const counts = `${damaged} (${row.damaged.how}; said ${row.loads.now}) -> ${repaired} (${row.repaired.how}; said ${row.loads.afterRepair}) of ${row.healthy}`
  return `${row.damages.join(' + ')} ${row.seed}: ${counts} ${faults.length === 0 ? 'ok' : `FAULT: ${faults.join('; ')}`} | ${row.repair}`
}
