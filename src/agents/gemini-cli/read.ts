// Which way a session is read follows from its generation.

import { pace } from '../../disk/files/pace.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import { readDocumentSession } from './document/read.ts'
import { readLogSession } from './log/read.ts'
import { DOCUMENT } from './names.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(session.generation === DOCUMENT ? readDocumentSession(session) : readLogSession(session, options))
}
