// Which way a session is read follows from its generation.

import { pace } from '../../disk/files/pace.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import { DOCUMENT } from './names.ts'
import { readDocumentSession } from './read-document.ts'
import { readLogSession } from './read-log.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return pace(session.generation === DOCUMENT ? readDocumentSession(session) : readLogSession(session, options))
}
