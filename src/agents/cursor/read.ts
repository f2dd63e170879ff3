// Each store generation has its own reader.
import type { Reading } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ReadOptions } from '../agent.ts'
import { readChat } from './cli/read.ts'
import { readComposer } from './ide/read.ts'
import { TEXT } from './transcripts/list.ts'
import { readTranscript } from './transcripts/read.ts'
import { readTextTranscript } from './transcripts/text.ts'

export function read(session: SessionRef, options?: ReadOptions): Reading {
  if (session.generation === 'cli') return readChat(session, options)
  if (session.generation === 'ide') return readComposer(session, options)
  return session.generation === TEXT ? readTextTranscript(session) : readTranscript(session, options)
}
