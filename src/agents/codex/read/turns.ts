// Rolled back turns: `thread_rolled_back` drops the last turns from the conversation, but they stay in the
// file.
import { Findings } from '../../../model/finding.ts'
import type { RecordLog } from '../../stores/json-lines.ts'
import { asObject } from '../../stores/values.ts'
import { rolledBackTurns } from '../records/events.ts'
import type { RolloutContext } from '../records/interpret.ts'
import { interpret } from '../records/interpret.ts'

/** A stretch of the file that is shown or dropped as one. It extends to the start of the next. */
export interface Stretch {
  start: number
  /** The offset of the rollback that dropped it. */
  droppedBy?: number
}

/** A separate pass, because dropped turns stand before the record that drops them. */
export function findStretches(log: RecordLog, context: RolloutContext): Stretch[] {
  const stretches: Stretch[] = [{ start: 0 }]
  const turns: Stretch[][] = []
  for (const record of log.records(new Findings())) {
    const { start } = record.at
    const back = rolledBackTurns(eventOf(record.value))
    if (back !== undefined) {
      for (const stretch of turns.splice(Math.max(0, turns.length - back)).flat()) stretch.droppedBy = start
      // The following records belong to the turn that is now the last one.
      const stretch: Stretch = { start }
      stretches.push(stretch)
      turns.at(-1)?.push(stretch)
      continue
    }
    const interpreted = interpret(record, context)
    if (interpreted.type !== 'message' || !interpreted.startsTurn) continue
    const stretch: Stretch = { start }
    stretches.push(stretch)
    turns.push([stretch])
  }
  return stretches
}

function eventOf(value: Record<string, unknown>): Record<string, unknown> {
  return value['type'] === 'event_msg' ? (asObject(value['payload']) ?? {}) : {}
}

export function branchId(rollback: number): string {
  return `rollback@${rollback}`
}

/** Whether a stretch is part of the conversation: as it is now, or as it was before a rollback. */
export function isShown(stretch: Stretch, before: number | undefined): boolean {
  if (before === undefined) return stretch.droppedBy === undefined
  return stretch.start < before && (stretch.droppedBy === undefined || stretch.droppedBy >= before)
}
