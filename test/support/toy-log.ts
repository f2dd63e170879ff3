// A log of the simplest kind, to try damages and scanning without any agent: records {"id", "parent", "text"}, all of which a resume loads.

import type { LogRepair } from '../../src/agents/repair.ts'
import type { Traits } from '../../src/agents/store.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { LogSubject } from '../../src/repair/damage/damage.ts'
import { indexLog } from '../../src/repair/scan/scan-log.ts'

export const toyTraits: Traits = {
  framing: 'json-lines',
  linkedByParent: false,
  headerRecord: false,
  toolPairs: false,
  indexBeside: false,
  appendOnly: true,
}

export const toyRepair: LogRepair = {
  framing: 'json-lines',
  isRecord: value => typeof value['id'] === 'string',
  describe: value => ({ kind: 'talk', role: 'user', id: String(value['id']) }),
  load: ({ visible }) => ({
    messages: visible.length,
    depth: visible.length,
    chain: Array.from({ length: visible.length }, (_, index) => index),
  }),
}

export function toySession(filePath: string, storeRoot = filePath): SessionRef {
  return {
    agent: 'toy',
    sessionId: 'toy-1',
    filePath,
    generation: 'log',
    storeRoot,
    updatedAt: 0,
    fileSize: 0,
    identity: '',
  }
}

/** What a check would see of these bytes. */
export function toySubject(bytes: Buffer, isLive = false): LogSubject {
  const { index, junk } = indexLog([bytes], toyRepair)
  return {
    session: toySession('/toy.jsonl'),
    traits: toyTraits,
    repair: toyRepair,
    index,
    visible: index.onlyWhole(),
    junk,
    bytes: { size: bytes.length, range: (start, end) => bytes.subarray(start, end) },
    isLive,
  }
}
