// The form of a verdict in the cache. Most are on healthy sessions and hold nothing but numbers: those are stored as a
// list of numbers, which is read in a third of the time.
import { seal, unseal } from '../../disk/state/checksums.ts'
import type { SessionRef } from '../../model/session.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Origin } from './origin.ts'

/** Raise it whenever the shape below changes. */
const SHAPE_VERSION = 3

/** The cache key identifies the session. */
type OtherFields = Omit<Verdict, 'agent' | 'sessionId' | 'filePath'>

type StoredVerdict = [
  shape: typeof SHAPE_VERSION,
  rules: string,
  /** The identity, or each path with its mark. An empty path is that of the session. */
  origin: string | string[],
  verdict: number[] | OtherFields,
  project?: string,
]

export interface ParsedVerdict {
  origin: Origin
  verdict: Verdict
  project?: string
}

export function formatVerdict(verdict: Verdict, origin: Origin, rules: string, project: string | undefined): string {
  const marks = 'identity' in origin ? origin.identity : marksOf(origin.files, verdict)
  const stored: StoredVerdict = [SHAPE_VERSION, rules, marks, numbersOf(verdict) ?? otherFields(verdict)]
  if (project !== undefined) stored.push(project)
  return seal(stored)
}

function marksOf(files: readonly { path: string; mark: string }[], { filePath }: Verdict): string[] {
  const marks: string[] = []
  for (const { path, mark } of files) marks.push(path === filePath ? '' : path, mark)
  return marks
}

function otherFields({ agent: _agent, sessionId: _sessionId, filePath: _filePath, ...rest }: Verdict): OtherFields {
  return rest
}

/**
 * Returns undefined for a damaged entry, or one of another version or other rules. The session is then checked again.
 */
export function parseVerdict(text: string, session: SessionRef, rules: string): ParsedVerdict | undefined {
  const stored = unseal(text)
  if (!hasThisShape(stored) || stored[1] !== rules) return undefined
  const [, , marks, facts, project] = stored
  const verdict = Array.isArray(facts) ? healthy(session, facts) : on(session, facts)
  const origin = originOf(marks, session)
  return project === undefined ? { origin, verdict } : { origin, verdict, project }
}

/** A sealed entry was made by `formatVerdict`; its number states which version. */
function hasThisShape(stored: unknown): stored is StoredVerdict {
  return Array.isArray(stored) && stored[0] === SHAPE_VERSION
}

function originOf(marks: string | string[], { filePath }: SessionRef): Origin {
  if (typeof marks === 'string') return { identity: marks }
  const files: { path: string; mark: string }[] = []
  for (let place = 0; place + 1 < marks.length; place += 2)
    files.push({ path: marks[place] || filePath, mark: marks[place + 1] ?? '' })
  return { files }
}

/** Undefined for a verdict that holds more than the numbers of a healthy session. */
function numbersOf(verdict: Verdict): number[] | undefined {
  const { status, chainDepth, orphanCount, messageCount, fileSize, loads, sent, findings, moreFindings, refusals } =
    verdict
  if (status !== 'healthy' || findings.length + moreFindings + refusals.length > 0) return undefined
  const known = sent === undefined ? HEALTHY_FIELDS : HEALTHY_FIELDS + 1
  if (Object.keys(verdict).length !== known) return undefined
  const numbers = [chainDepth, orphanCount, messageCount, fileSize, loads.now, loads.afterRepair]
  if (sent !== undefined) numbers.push(sent.now, sent.afterRepair)
  return numbers
}

/** Those of `healthy`, without `sent`. */
const HEALTHY_FIELDS = 12

/** The fields are in the order in which a check gives them, which is that of the output. */
function healthy({ agent, sessionId, filePath }: SessionRef, numbers: readonly number[]): Verdict {
  const [chainDepth = 0, orphanCount = 0, messageCount = 0, fileSize = 0, now = 0, afterRepair = 0] = numbers
  const known = { agent, sessionId, filePath, status: 'healthy' as const, chainDepth, orphanCount, messageCount }
  const loads = { now, afterRepair }
  const [sentNow, sentAfterRepair] = [numbers[6], numbers[7]]
  if (sentNow === undefined || sentAfterRepair === undefined)
    return { ...known, fileSize, loads, findings: [], moreFindings: 0, refusals: [] }
  const sent = { now: sentNow, afterRepair: sentAfterRepair }
  return { ...known, fileSize, loads, sent, findings: [], moreFindings: 0, refusals: [] }
}

function on({ agent, sessionId, filePath }: SessionRef, facts: OtherFields): Verdict {
  return { agent, sessionId, filePath, ...facts }
}
