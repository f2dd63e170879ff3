// createScanner: scans and repairs sessions by file path. Every implementation has to pass the suite in
// test/support/scanner-conformance.ts.
import type { Context } from '../catalog/context.ts'
import type { SessionFinder } from '../catalog/find-one.ts'
import { makeSessionFinder } from '../catalog/find-one.ts'
import { RethreadError } from '../model/errors.ts'
import { paste } from '../model/paste.ts'
import type { SessionRef } from '../model/session.ts'
import type { Reason, RepairReport, Verdict } from '../model/verdict.ts'
import { checkMany } from '../repair/check/check-many.ts'
import { repairSession } from '../repair/repair.ts'
import type { Verdicts } from '../repair/verdicts/verdict-cache.ts'
import { openVerdicts } from '../repair/verdicts/verdict-cache.ts'
import type { Options } from './arguments.ts'
import { openContext, parseArgument, SCHEMAS } from './arguments.ts'

export interface SessionScanResult {
  sessionId: string
  filePath: string
  status: 'healthy' | 'corrupted' | 'missing' | 'unreadable' | 'busy'
  /** Messages from the last one to a root, or to the break in the chain. */
  chainDepth: number
  /** Messages whose parent is not in the file. */
  orphanCount: number
  fileSize: number
  messageCount: number
  /** Why the status is `missing`, `unreadable` or `busy`. */
  reason?: Reason
}

export interface SessionRepairResult {
  sessionId: string
  status: 'repaired' | 'already_healthy' | 'failed' | 'refused'
  backupPath?: string
  orphansFixed: number
  newChainDepth: number
  /** Why it failed or was refused. */
  error?: Reason
}

export interface SessionScanner {
  /** Never changes the file. Reports damage as a status instead of throwing. */
  scan(filePath: string): Promise<SessionScanResult>
  /**
   * Makes a backup before the first change. Safe to call on a healthy file, and twice. Throws if the path is
   * not a session.
   */
  repair(filePath: string): Promise<SessionRepairResult>
  /** Scans several files. The results have the order of the paths. */
  scanBatch(filePaths: readonly string[]): Promise<SessionScanResult[]>
}

export interface ScannerOptions extends Options {
  /** Treat a session that was written a moment ago as finished. */
  force?: boolean
}

/** Keeps nothing open between calls, so there is nothing to close. */
export function createScanner(options: ScannerOptions = {}): SessionScanner {
  const { force = false, ...where } = parseArgument(SCHEMAS.createScanner, options, 'createScanner(options)')
  const context = openContext(where)
  const scanBatch = async (filePaths: readonly string[]): Promise<SessionScanResult[]> => {
    const finder = await makeSessionFinder(context)
    const found = filePaths.map(path => findOrFail(finder, path))
    const sessions = found.flatMap(item => ('generation' in item ? [item] : []))
    const verdicts = await withVerdicts(context, cache => checkMany(context, sessions, { verdicts: cache, force }))
    const byPath = new Map(verdicts.map(verdict => [verdict.filePath, verdict]))
    return filePaths.map((path, index) => resultFor(path, found[index], byPath))
  }
  return {
    scanBatch,
    async scan(filePath) {
      const [result] = await scanBatch([filePath])
      if (result === undefined) throw noVerdict(filePath)
      return result
    },
    async repair(filePath) {
      const session = (await makeSessionFinder(context)).byPath(filePath)
      const { report } = await withVerdicts(context, verdicts => repairSession(context, session, { verdicts, force }))
      return repaired(session, report)
    },
  }
}

async function withVerdicts<Result>(context: Context, use: (verdicts: Verdicts) => Promise<Result>): Promise<Result> {
  const verdicts = openVerdicts(context.state)
  try {
    return await use(verdicts)
  } finally {
    verdicts.close()
    await context.log.flush()
  }
}

function findOrFail(finder: SessionFinder, path: string): SessionRef | Reason {
  try {
    return finder.byPath(path)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    return { code: error.code, text: error.message, hint: error.hint }
  }
}

/** `filePath` is the path as given, so that callers can match results with it. */
function resultFor(
  filePath: string,
  found: SessionRef | Reason | undefined,
  verdicts: ReadonlyMap<string, Verdict>,
): SessionScanResult {
  if (found === undefined) throw noVerdict(filePath)
  if ('text' in found) {
    const status = found.code === 'not-found' ? 'missing' : 'unreadable'
    return { sessionId: nameOf(filePath), filePath, status, ...NOTHING, reason: found }
  }
  const verdict = verdicts.get(found.filePath)
  if (verdict === undefined) throw noVerdict(filePath)
  const { sessionId, status, chainDepth, orphanCount, fileSize, messageCount, reason } = verdict
  const result = { sessionId, filePath, status, chainDepth, orphanCount, fileSize, messageCount }
  return reason === undefined ? result : { ...result, reason }
}

const NOTHING = { chainDepth: 0, orphanCount: 0, fileSize: 0, messageCount: 0 }

/** The session name that follows from the file name. */
function nameOf(filePath: string): string {
  return filePath.replace(/^.*[\\/]/, '').replace(/\.[^.]+$/, '')
}

function noVerdict(filePath: string): RethreadError {
  return new RethreadError({
    code: 'fault',
    text: `The check of ${filePath} gave no verdict.`,
    hint: `See what the command says: ${paste('rethread check --json', filePath)}`,
    path: filePath,
  })
}

function repaired({ sessionId }: SessionRef, report: RepairReport): SessionRepairResult {
  const { status, backupPath, orphansFixed, newChainDepth, error } = report
  return {
    sessionId,
    status,
    ...(backupPath === undefined ? {} : { backupPath }),
    orphansFixed,
    newChainDepth,
    ...(error === undefined ? {} : { error }),
  }
}
