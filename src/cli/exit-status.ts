// Every decision about the exit status of a command. Scripts rely on these numbers. The README and
// docs/interfaces.md have the table.
import type { SanitizeReport } from '../agents/sanitizer.ts'
import type { ArchiveCheck } from '../archive/check.ts'
import type { PassResult } from '../archive/pass.ts'
import type { ArchiveRepair } from '../archive/repair.ts'
import type { ArchiveStatus } from '../catalog/archive.ts'
import type { FixResult } from '../doctor/fix.ts'
import type { DoctorReport } from '../doctor/report.ts'
import type { ErrorCode, Failure } from '../model/errors.ts'
import { RethreadError } from '../model/errors.ts'
import type { ReadingEnd } from '../model/reading.ts'
import { isPartial } from '../model/reading.ts'
import type { Status, Verdict } from '../model/verdict.ts'
import { isExamined } from '../model/verdict.ts'
import type { AdoptedSession } from '../repair/adopt/index.ts'
import type { ServiceStatus } from './service/index.ts'

export const EXIT = {
  fine: 0,
  failed: 1,
  usage: 2,
  degraded: 3,
  trashed: 4,
  notExamined: 5,
  interrupted: 130,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

/** The table of the help and of the documentation. */
export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  fine: 'fine',
  failed: 'rethread failed, or cannot do this',
  usage: 'wrong usage, or an id that is not unique',
  degraded: 'something is damaged, partial or degraded',
  trashed: 'a conversation was moved to the trash',
  notExamined: 'something could not be examined or changed; sanitize: or is left damaged',
  interrupted: 'interrupted',
}

/** For a command that ended with an error. */
const EXIT_OF_ERROR: Record<ErrorCode, ExitStatus> = {
  'permission-denied': EXIT.notExamined,
  'not-found': EXIT.notExamined,
  'is-a-directory': EXIT.notExamined,
  'not-a-regular-file': EXIT.notExamined,
  'io-error': EXIT.notExamined,
  'too-many-open-files': EXIT.notExamined,
  'no-space': EXIT.failed,
  'empty-file': EXIT.notExamined,
  'outside-store': EXIT.notExamined,
  'not-a-session': EXIT.notExamined,
  'session-not-found': EXIT.notExamined,
  'ambiguous-session': EXIT.usage,
  'unsafe-argument': EXIT.failed,
  'database-busy': EXIT.notExamined,
  'database-corrupt': EXIT.notExamined,
  busy: EXIT.notExamined,
  locked: EXIT.notExamined,
  'plan-outdated': EXIT.notExamined,
  'no-receipt': EXIT.notExamined,
  'ambiguous-receipt': EXIT.usage,
  'undo-conflict': EXIT.notExamined,
  'rollback-failed': EXIT.failed,
  unsupported: EXIT.failed,
  usage: EXIT.usage,
  'repair-failed': EXIT.degraded,
  timeout: EXIT.notExamined,
  stopped: EXIT.interrupted,
  'archive-damaged': EXIT.degraded,
  'agent-failed': EXIT.failed,
  fault: EXIT.failed,
}

/** An error that is not a RethreadError is a fault in rethread. */
export function exitOfError(error: unknown): ExitStatus {
  return error instanceof RethreadError ? EXIT_OF_ERROR[error.code] : EXIT.failed
}

interface Outcome {
  isInterrupted?: boolean
  /** Something could not be examined, or is left as damaged as it was. */
  isIncomplete?: boolean
  isTrashed?: boolean
  /** Damage was found or is left, or only a part could be read. */
  isDegraded?: boolean
}

/** For a command that ran to its end. The first that applies wins. */
function exitOf({ isInterrupted, isIncomplete, isTrashed, isDegraded }: Outcome): ExitStatus {
  if (isInterrupted === true) return EXIT.interrupted
  if (isIncomplete === true) return EXIT.notExamined
  if (isTrashed === true) return EXIT.trashed
  return isDegraded === true ? EXIT.degraded : EXIT.fine
}

/** `list`, `agents`, `repairs`, `archive import`. */
export function exitOfFailures(failures: readonly Failure[]): ExitStatus {
  return exitOf({ isIncomplete: failures.length > 0 })
}

/** `show`, `export`. */
export function exitOfReading(end: ReadingEnd): ExitStatus {
  return exitOf({ isDegraded: isPartial(end) })
}

/** `check`, and `repair` with the verdicts after it. A dry run leaves the damage where it is. */
export function exitOfVerdicts(verdicts: readonly Verdict[], failures: readonly Failure[]): ExitStatus {
  return exitOfStatuses([...new Set(verdicts.map(({ status }) => status))], failures)
}

/** The same for the statuses that occur. */
export function exitOfStatuses(statuses: readonly Status[], failures: readonly Failure[]): ExitStatus {
  return exitOf({
    isIncomplete: failures.length > 0 || !statuses.every(status => isExamined({ status })),
    isDegraded: statuses.includes('corrupted'),
  })
}

/** `sanitize` and `trash restore`. */
export function exitOfReport(report: SanitizeReport): ExitStatus {
  const { isInterrupted, blocked, skipped, lockedOut, left, trashed, degraded } = report
  return exitOf({
    isInterrupted,
    isIncomplete: [blocked, skipped, lockedOut, left].some(entries => entries.length > 0),
    isTrashed: trashed.length > 0,
    isDegraded: degraded.length > 0,
  })
}

/** `resume`, and a command that runs an agent: it was not started, because a session is busy or is left damaged. */
export const EXIT_NOT_STARTED: ExitStatus = EXIT.notExamined

/** `relink`, `move`, and `doctor --fix`. Without results, nothing was changed. */
export function exitOfFixes(results: readonly FixResult[]): ExitStatus {
  return exitOf({ isIncomplete: results.some(({ error }) => error !== undefined) })
}

/** `doctor`, with the report after the fixes. What is lost to its agent counts before a fix that failed. */
export function exitOfDoctor({ failures, findings }: DoctorReport, fixes: readonly FixResult[] = []): ExitStatus {
  const status = exitOf({
    isIncomplete: failures.length > 0,
    isDegraded: findings.some(({ severity }) => severity === 'lost'),
  })
  return status === EXIT.fine ? exitOfFixes(fixes) : status
}

/** `restore`. */
export function exitOfRestore({ isIncomplete }: { isIncomplete: boolean }): ExitStatus {
  return exitOf({ isDegraded: isIncomplete })
}

interface Adoption {
  adopted: readonly AdoptedSession[]
  relinked: readonly FixResult[]
  failures: readonly Failure[]
}

/** `restore --from`. */
export function exitOfAdoption({ adopted, relinked, failures }: Adoption): ExitStatus {
  const isRefused = adopted.some(({ status }) => status === 'refused') || relinked.some(({ error }) => error)
  return exitOf({
    isIncomplete: failures.length > 0 || isRefused,
    isDegraded: adopted.some(({ isDamaged }) => isDamaged),
  })
}

/** `service install` and `service status`. */
export function exitOfService({ isRunning }: ServiceStatus): ExitStatus {
  return exitOf({ isDegraded: !isRunning })
}

/** `archive`. */
export function exitOfPass({ failures, isFull, vanished }: PassResult): ExitStatus {
  return exitOf({ isIncomplete: failures.length > 0, isDegraded: isFull === true || vanished > 0 })
}

/** `archive status`. */
export function exitOfArchiveStatus({ notices }: ArchiveStatus): ExitStatus {
  return exitOf({ isDegraded: notices.length > 0 })
}

/** `archive check`. */
export function exitOfArchiveCheck({ damaged }: ArchiveCheck): ExitStatus {
  return exitOf({ isDegraded: damaged.length > 0 })
}

/** `archive repair`. */
export function exitOfArchiveRepair({ lost }: ArchiveRepair): ExitStatus {
  return exitOf({ isDegraded: lost.length > 0 })
}
