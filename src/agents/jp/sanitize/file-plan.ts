// What becomes of one file of one copy, and how that is carried out: the damaged one is set aside, the new one takes its place.
import type { PlannedFile } from '../../../disk/vault/plan-fit.ts'
import type { Move } from '../../../disk/vault/steps/step.ts'
import type { Change } from '../../../model/plan.ts'
import type { ReportEntry } from '../../sanitizer.ts'
import type { CopyState } from '../classify/index.ts'
import type { FileMark, FileState } from '../classify/state.ts'
import { isHealthy } from '../classify/state.ts'
import type { ManagedFile } from '../names.ts'
import { EVENTS, MANAGED } from '../names.ts'
import type { Quarantine } from './quarantine.ts'

export interface FilePlan {
  copy: CopyState
  file: ManagedFile
  /** Undefined where the damaged file is only set aside. */
  bytes: Buffer | undefined
  /** When the new file counts as written: a default must never be newer than what it stands in for. */
  modifiedNs: bigint | undefined
  bucket: 'repaired' | 'degraded'
  /** What the line says behind the name of the conversation. */
  text: string
  source?: string
  /** As `ReportEntry.remark`. */
  remark?: string
}

export interface CarriedFile {
  change: Change | Move
  planned: PlannedFile[]
  entry: ReportEntry
}

const DAMAGE: Record<ManagedFile, string> = {
  'metadata.json': 'lost-header',
  'base_config.json': 'lost-config',
  'init_config.json': 'lost-overrides',
  'events.json': 'malformed-document',
}

/** In the order of repair, copy by copy. */
export function inOrder(plans: readonly FilePlan[]): FilePlan[] {
  return MANAGED.flatMap(file => plans.filter(plan => plan.file === file))
}

export function carryFile(plan: FilePlan, quarantine: Quarantine): CarriedFile {
  const { copy, file, bytes, text, source, remark, bucket, modifiedNs } = plan
  const state = copy.files[file]
  const why = { damage: DAMAGE[file], reason: text }
  const entry: ReportEntry = {
    conversation: copy.folder.name,
    root: copy.folder.root.path,
    file,
    line: `${bucket === 'repaired' ? 'Repaired' : 'Degraded'} conversation ${copy.folder.name}: ${text}`,
    ...(source === undefined ? {} : { source }),
    ...(remark === undefined ? {} : { remark }),
  }
  const mode = modeFor(copy, state)
  const fresh = bytes === undefined ? undefined : { bytes, mode, ...(modifiedNs === undefined ? {} : { modifiedNs }) }
  if (state.identity === undefined) {
    if (fresh === undefined) throw new Error(`Nothing is to be done with ${state.path}.`)
    return { change: { type: 'write', file: state.path, ...fresh, ...why }, planned: [], entry }
  }
  const planned = [{ file: state.path, identity: identityFrom(state.identity) }]
  if (isHealthy(state)) {
    if (fresh === undefined) throw new Error(`Nothing is wrong with ${state.path}.`)
    return { change: { type: 'write', file: state.path, bytes: fresh.bytes, ...why }, planned, entry }
  }
  const to = quarantine.nameFor(state.path, state.condition.type === 'is-a-directory')
  const instead = fresh === undefined ? {} : { instead: fresh }
  return {
    change: { type: 'move', file: state.path, to, ...instead, ...why },
    planned,
    entry: { ...entry, quarantine: to },
  }
}

export function identityFrom({ device, inode, size, mtimeNs }: FileMark): PlannedFile['identity'] {
  return { device, inode, size, mtimeMs: Number(mtimeNs) / 1e6, key: `${device}:${inode}:${size}:${mtimeNs}` }
}

const READABLE_BY_US = 0o600
const PERMISSIONS = 0o777

/** That of the file before; of a new one, that of the events beside it. */
function modeFor({ files }: CopyState, state: FileState): number {
  const isPlain = (candidate: FileState): boolean =>
    candidate.identity !== undefined &&
    candidate.linkTarget === undefined &&
    candidate.condition.type !== 'is-a-directory'
  const like = [state, files[EVENTS]].find(isPlain)
  return ((like?.identity?.mode ?? 0) & PERMISSIONS) | READABLE_BY_US
}
