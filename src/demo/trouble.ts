// What is wrong with sessions of the demo is done to them here, when all of them are written and can be found.

import { cutSampleFile, sampleFileSize, writeSampleFile } from '../disk/files/sample-files.ts'
import type { SessionRef } from '../model/session.ts'
import type { Inflicted } from '../repair/damage/damage.ts'
import { breakSession } from './break-session.ts'
import type { WrittenSession } from './fill-home.ts'
import type { Growth } from './growth.ts'
import { holdBack } from './growth.ts'

export interface TroubledSession extends WrittenSession {
  inflicted?: Inflicted
  growth?: Growth
  /** Planned with a damage for which it has no place: it stays healthy. */
  isSpared?: boolean
}

/** A place for the damage is sought so often. */
const MAX_TRIES = 8

export function makeTrouble(written: WrittenSession, session: SessionRef, seed: number): TroubledSession {
  const { trouble } = written.planned
  const { file } = written.made
  switch (trouble.type) {
    case 'none':
    case 'cut':
      return written
    case 'emptied':
      cutSampleFile(file, 0)
      return written
    case 'zeroed':
      writeSampleFile(file, Buffer.alloc(sampleFileSize(file)))
      return written
    case 'growing':
      return { ...written, growth: holdBack(file) }
    case 'damage': {
      for (let tried = 0; tried < MAX_TRIES; tried++) {
        const inflicted = breakSession({ session, ...trouble, seed: seed + tried, at: written.endsAt })
        if (inflicted !== undefined) return { ...written, inflicted }
      }
      return { ...written, isSpared: true }
    }
  }
}
