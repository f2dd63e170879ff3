// Breaks the made-up sessions of the demo, after all of them are written and can be found.
import { Random } from '../agents/samples/random.ts'
import {
  cutSampleFile,
  readSampleFile,
  removeSampleFile,
  sampleFileSize,
  setSampleTime,
  writeSampleFile,
} from '../disk/files/sample-files.ts'
import { runOnSample } from '../disk/sqlite/sample-database.ts'
import type { SessionRef } from '../model/session.ts'
import type { Damage, Inflicted, InflictTarget } from '../repair/damage/damage.ts'
import type { WrittenSession } from './fill-home.ts'
import type { Growth } from './growth.ts'
import { cutForGrowth } from './growth.ts'
import type { Kind } from './kinds.ts'

export interface BrokenSession extends WrittenSession {
  inflicted?: Inflicted
  growth?: Growth
  /** The session has no place for its planned damage and stays healthy. */
  isHealthy?: boolean
}

/** The number of seeds that are tried to find a place for a damage. */
const MAX_TRIES = 8

/** Breaks a session as planned. */
export function breakAsPlanned(written: WrittenSession, session: SessionRef, seed: number): BrokenSession {
  const { problem } = written.planned
  const { file } = written.made
  switch (problem.type) {
    case 'none':
    case 'cut':
    case 'deleted':
    case 'shortened':
      return written
    case 'emptied':
      cutSampleFile(file, 0)
      return written
    case 'zeroed':
      writeSampleFile(file, Buffer.alloc(sampleFileSize(file)))
      return written
    case 'growing':
      return { ...written, growth: cutForGrowth(file) }
    case 'damage': {
      for (let tried = 0; tried < MAX_TRIES; tried++) {
        const inflicted = breakSession({ session, ...problem, seed: seed + tried, at: written.endsAt })
        if (inflicted !== undefined) return { ...written, inflicted }
      }
      return { ...written, isHealthy: true }
    }
  }
}

interface Breaking {
  session: SessionRef
  kind: Kind
  damage: Damage
  seed: number
  /** The modification time to give to the files: milliseconds since 1970. */
  at: number
}

/** Inflicts one damage. Returns undefined if the session has no place for it. */
export function breakSession({ session, kind, damage, seed, at }: Breaking): Inflicted | undefined {
  const random = new Random(`${seed} ${damage.id} ${kind.agent} ${kind.store}`)
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
