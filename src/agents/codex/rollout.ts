// One rollout opened for reading: the file itself, or the text of a compressed one.
import type { ZstdDamage } from '../../disk/zstd.ts'
import type { Checkpoint } from '../../model/reading.ts'
import type { Log } from '../stores/json-lines.ts'
import { openLog } from '../stores/json-lines.ts'
import { isEnvelope, isWholeRecord } from './records.ts'

/** Where the text of a session is read from, and the file that is named for it. */
export interface Source {
  path: string
  root: string
  shownAs: string
  /** Present where the text was decompressed: a file of which no checkpoint can be made. */
  compressed?: { damage: ZstdDamage | undefined; bytes: number }
}

export interface Rollout extends Log {
  /** Whether a record of the newer shape was seen up to now. */
  isEnveloped(): boolean
}

export function openRollout(source: Source, after: Checkpoint | undefined): Rollout {
  let enveloped = false
  const log = openLog(source.path, source.root, value => isWholeRecord(value, enveloped), after)
  if (log.continued) enveloped = (log.state as { enveloped: boolean }).enveloped
  // Places and hints name the person's file, not a temporary one that is gone when they are read.
  log.file.path = source.shownAs
  return {
    ...log,
    isEnveloped: () => enveloped,
    *records(findings) {
      const records = log.records(findings)
      let step = records.next()
      for (; !step.done; step = records.next()) {
        enveloped ||= isEnvelope(step.value.value)
        yield step.value
      }
      return step.value
    },
  }
}
