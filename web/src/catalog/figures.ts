// Figures about all sessions that several parts show: the counts, and the progress of the background check
// and of "Repair all".
import type { Counts, Progress, ServerMessageOf } from '../../../src/server/protocol.ts'
import { formatBytes, formatCount, plural } from '../common/format.ts'
import { listen } from '../state/socket.ts'
import { makeStore } from '../state/store.ts'

export type RepairProgress = Omit<ServerMessageOf<'repair.progress'>, 'type'>

export const counts = makeStore<Counts | null>(null)
export const progress = makeStore<Progress | null>(null)
/** Null if none runs and the last outcome has been dismissed. */
export const repairAll = makeStore<RepairProgress | null>(null)

export function followFigures(): () => void {
  const stops = [
    listen('ready', message => progress.set(message.progress)),
    listen('scan.progress', ({ type: _, ...now }) => progress.set(now)),
    listen('repair.progress', ({ type: _, ...now }) => repairAll.set(now)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** "Checking 412 of 1,204 conversations (1.3 GB of 3.9 GB)" */
export function progressText({ phase, done, total, bytesDone, bytesTotal }: Progress): string {
  const of = `${formatCount(done)} of ${plural(total, 'conversation')}`
  const bytes = bytesTotal > 0 ? ` (${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)})` : ''
  switch (phase) {
    case 'finding':
      return done > 0 ? `Finding conversations: ${formatCount(done)} so far` : 'Finding conversations'
    case 'reading':
      return `Reading ${of}`
    case 'checking':
      return `Checking ${of}${bytes}`
    case 'done':
      return total === 0 ? 'Nothing to check' : 'All checked'
  }
}

/** From 0 to 1. By bytes if they are known, because one conversation can be larger than a thousand others. */
export function progressShare({ done, total, bytesDone, bytesTotal, phase }: Progress): number {
  if (phase === 'done') return 1
  if (phase === 'checking' && bytesTotal > 0) return Math.min(1, bytesDone / bytesTotal)
  return total > 0 ? Math.min(1, done / total) : 0
}

/** "15 repaired, 2 left as they are" */
export function repairText({ done, total, repaired, refused, failed }: RepairProgress): string {
  if (done < total) return `Repairing ${formatCount(done + 1)} of ${formatCount(total)}`
  const parts = [`${formatCount(repaired)} repaired`]
  if (refused > 0) parts.push(`${formatCount(refused)} left as ${refused === 1 ? 'it is' : 'they are'}`)
  if (failed > 0) parts.push(`${formatCount(failed)} failed`)
  return parts.join(', ')
}
