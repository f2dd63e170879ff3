// Breaks a made-up session in the way of one damage.
import { Random } from '../agents/samples/random.ts'
import { readSampleFile, removeSampleFile, setSampleTime, writeSampleFile } from '../disk/files/sample-files.ts'
import { runOnSample } from '../disk/sqlite/sample-database.ts'
import type { SessionRef } from '../model/session.ts'
import type { Damage, Inflicted, InflictTarget } from '../repair/damage/damage.ts'
import type { Kind } from './kinds.ts'

export interface Breaking {
  session: SessionRef
  kind: Kind
  damage: Damage
  seed: number
  /** When the files were last written, in the eyes of whoever looks: milliseconds since 1970. */
  at: number
}

/** undefined where the session has no place for this damage. */
export function breakSession({ session, kind, damage, seed, at }: Breaking): Inflicted | undefined {
  const random = new Random(`${seed} ${damage.id} ${kind.agent} ${kind.generation}`)
  return damage.inflict(targetOf(session, kind, at), random)
}

function targetOf(session: SessionRef, { traits, repair }: Kind, at: number): InflictTarget {
  return {
    session,
    traits,
    repair,
    read: readSampleFile,
    write(file, bytes) {
      writeSampleFile(file, bytes)
      setSampleTime(file, at)
    },
    remove: removeSampleFile,
    sql(file, statement, ...values) {
      try {
        return runOnSample(file, statement, values)
      } finally {
        setSampleTime(file, at)
      }
    },
  }
}
