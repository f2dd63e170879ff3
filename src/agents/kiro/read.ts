// Each generation is read in its own way.

import { pace } from '../../disk/files/pace.ts'
import { streamDatabase } from '../../disk/sqlite/read-database.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import { readRow } from './database/read.ts'
import { readIdeSession } from './ide/read.ts'
import { readLogSession } from './log/read.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  switch (session.generation) {
    case 'database':
      return streamDatabase(
        session.filePath,
        session.storeRoot,
        database => readRow(database, session.sessionId),
        options,
      )
    case 'ide':
      return pace(readIdeSession(session))
    default:
      return pace(readLogSession(session, options))
  }
}
