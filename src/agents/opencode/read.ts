// Each generation has its reader.

import { pace } from '../../disk/files/pace.ts'
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import { readFromDatabase } from './database/read.ts'
import { readTree } from './tree/read.ts'

export function read(session: SessionRef, options: ReadOptions = {}): Reading {
  return session.generation === 'tree' ? pace(readTree(session, options)) : readFromDatabase(session, options)
}
