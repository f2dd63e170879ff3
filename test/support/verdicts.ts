// Sessions that are files of their own, and verdicts on them, for tests of what is done with verdicts.
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { identityOf } from '../../src/disk/files/read.ts'
import type { SessionRef } from '../../src/model/session.ts'
import type { Status, Verdict } from '../../src/model/verdict.ts'

/** The session in a file as discovery would find it now. */
export function sessionIn(filePath: string, sessionId = 'one'): SessionRef {
  const identity = identityOf(statSync(filePath, { bigint: true }))
  return {
    agent: 'tester',
    sessionId,
    filePath,
    generation: 'logs',
    storeRoot: join(filePath, '..'),
    updatedAt: identity.mtimeMs,
    fileSize: identity.size,
    identity: identity.mark,
  }
}

export function verdictFor(session: SessionRef, status: Status = 'healthy', rest: Partial<Verdict> = {}): Verdict {
  const { agent, sessionId, filePath, fileSize } = session
  const counts = { chainDepth: 2, orphanCount: 0, messageCount: 2, fileSize, loads: { now: 2, afterRepair: 2 } }
  return { agent, sessionId, filePath, status, ...counts, findings: [], moreFindings: 0, refusals: [], ...rest }
}

/** Other bytes of the same length with the same modification time. Not before the clock of the file system has gone on. */
export function changeInPlace(path: string, content: string): void {
  const before = statSync(path, { bigint: true })
  if (before.size !== BigInt(Buffer.byteLength(content))) throw new Error('The length must stay the same.')
  do {
    writeFileSync(path, content, { flag: 'r+' })
    utimesSync(path, Number(before.atimeMs) / 1000, Number(before.mtimeMs) / 1000)
  } while (statSync(path, { bigint: true }).ctimeNs === before.ctimeNs)
}
