// The exports of `import … from 'rethread'`. docs/api.md describes them. The rest of the package is private.

export type { SessionKey, SessionName } from '../catalog/choose-sessions.ts'
export type { ListedSession, SessionList } from '../catalog/list.ts'
export type { Recovered } from '../disk/vault/recover.ts'
export type { ErrorCode, Failure } from '../model/errors.ts'
export { RethreadError } from '../model/errors.ts'
export type { Finding, Severity } from '../model/finding.ts'
export type { FilePlace, Message, Part, Place, Role, RowPlace } from '../model/message.ts'
export type { RowChange, SqlValue, Why } from '../model/plan.ts'
export type {
  Branch,
  CompleteReading,
  PartialCause,
  PartialCode,
  PartialReading,
  ReadingEnd,
  ReadingFacts,
  RecordCounts,
  SessionFacts,
} from '../model/reading.ts'
export type { Cost, Usage, UsageTotal } from '../model/usage.ts'
export type { Loads, Note, NotLoaded, Reason, RepairReport, Status, Verdict } from '../model/verdict.ts'
export type { Options } from './arguments.ts'
export type { CheckOptions, CheckResult } from './check.ts'
export { check } from './check.ts'
export type { ListOptions } from './list.ts'
export { list } from './list.ts'
export type { ReadOptions, SessionReading } from './read.ts'
export { read } from './read.ts'
export type {
  PlannedChange,
  PlannedEdit,
  RepairAll,
  RepairedSession,
  RepairHow,
  RepairNamed,
  RepairOptions,
  RepairResult,
} from './repair.ts'
export { repair } from './repair.ts'
export type { ScannerOptions, SessionRepairResult, SessionScanner, SessionScanResult } from './scanner.ts'
export { createScanner } from './scanner.ts'
