// The end of a reading: facts, losses, and the checkpoint from which a later reading can continue.
import { quote } from '../../../disk/files/system-errors.ts'
import type { Findings } from '../../../model/finding.ts'
import type { PartialCause, ReadingEnd } from '../../../model/reading.ts'
import { endReading } from '../../../model/reading.ts'
import type { SessionRef } from '../../../model/session.ts'
import { makeCheckpoint } from '../../stores/json-lines.ts'
import { factsFrom } from './facts.ts'
import type { Rollout, Source } from './rollout.ts'
import type { RolloutState } from './state.ts'

export interface RolloutEnding {
  rollout: Rollout
  source: Source
  session: SessionRef
  state: RolloutState
  findings: Findings
  parsedUpTo: number
  branch: string | undefined
}

export function endRollout(ending: RolloutEnding): ReadingEnd {
  const { rollout, source, session, state, findings, parsedUpTo } = ending
  const cause = noteDamage(ending)
  // A later reading does not continue from a branch, and a compressed file never grows.
  const canGoOn = ending.branch === undefined && source.compressed === undefined
  // A torn tail will be read again, so its skip is not counted in the checkpoint.
  const settled = { ...state, counts: { ...state.counts, skipped: state.counts.skipped - findings.updating } }
  const common = {
    facts: factsFrom(state.notes, session),
    counts: state.counts,
    branches: state.branches,
    continued: rollout.continued,
    ...(canGoOn ? { checkpoint: makeCheckpoint(rollout, parsedUpTo, settled) } : {}),
  }
  return endReading(common, findings, { parsedUpTo, recovered: state.counts.records > 0 }, cause)
}

/** The damage of a compressed file: its text ends where decompression failed. */
function noteDamage({ source, state, findings }: RolloutEnding): PartialCause | undefined {
  const damage = source.compressed?.damage
  if (source.compressed === undefined || damage === undefined) return undefined
  const { bytes } = source.compressed
  state.counts.skipped++
  findings.add({
    damage: 'compressed-file-damaged',
    severity: 'lost',
    at: { file: source.shownAs, start: bytes, end: bytes },
    text: `The compressed file cannot be decompressed beyond byte ${damage.usedBytes} of ${damage.fileBytes} (${damage.reason}); the ${bytes} bytes of text before were read.`,
    hint: `Test it: zstd -t ${quote(source.shownAs)}`,
  })
  return {
    code: 'records-unreadable',
    text: 'The compressed file is damaged or cut short; the readable part was read.',
  }
}
