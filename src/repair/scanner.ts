// The scanner in JavaScript: sessions by the path of their file.
import { RethreadError } from '../model/errors.ts'
import type { SessionRef } from '../model/session.ts'
import type { CheckContext } from './check/check.ts'
import { checkMany } from './check/check-many.ts'
import { repairSession } from './repair.ts'
import type { SessionRepairResult, SessionScanner, SessionScanResult } from './scan/scanner.ts'

export interface ScannerOptions {
  /** From a path to the session in it; throws where there is none. */
  find(filePath: string): Promise<SessionRef>
  /** Repairs what was written a moment ago, too. */
  force?: boolean
}

export function makeScanner(context: CheckContext, { find, force = false }: ScannerOptions): SessionScanner {
  const scanBatch = async (filePaths: readonly string[]): Promise<SessionScanResult[]> => {
    const found = await Promise.all(filePaths.map(path => findOrFail(find, path)))
    const sessions = found.flatMap(item => ('session' in item ? [item.session] : []))
    const verdicts = await checkMany(context, sessions, { force })
    let next = 0
    return found.map(item => ('failed' in item ? item.failed : (verdicts[next++] ?? item.missing))).map(toScanResult)
  }
  return {
    scanBatch,
    async scan(filePath) {
      const [result] = await scanBatch([filePath])
      return result ?? missing(filePath)
    },
    async repair(filePath) {
      const { report } = await repairSession(context, await find(filePath), { force })
      return toRepairResult(await find(filePath), report)
    },
  }
}

type Found = { session: SessionRef; missing: SessionScanResult } | { failed: SessionScanResult }

async function findOrFail(find: ScannerOptions['find'], path: string): Promise<Found> {
  try {
    return { session: await find(path), missing: missing(path) }
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { failed: { ...missing(path), status: error.code === 'not-found' ? 'missing' : 'unreadable' } }
  }
}

function missing(filePath: string): SessionScanResult {
  const sessionId = filePath.replace(/^.*[\\/]/, '').replace(/\.[^.]+$/, '')
  return { sessionId, filePath, status: 'missing', chainDepth: 0, orphanCount: 0, fileSize: 0, messageCount: 0 }
}

function toScanResult({
  sessionId,
  filePath,
  status,
  chainDepth,
  orphanCount,
  fileSize,
  messageCount,
}: SessionScanResult): SessionScanResult {
  return { sessionId, filePath, status, chainDepth, orphanCount, fileSize, messageCount }
}

function toRepairResult(
  { sessionId }: SessionRef,
  { status, backupPath, orphansFixed, newChainDepth }: Omit<SessionRepairResult, 'sessionId'>,
): SessionRepairResult {
  return { sessionId, status, ...(backupPath === undefined ? {} : { backupPath }), orphansFixed, newChainDepth }
}
