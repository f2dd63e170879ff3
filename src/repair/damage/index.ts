// THE LIST: every damage class, in the order of repair, one line each. Broken lines have their own list,
// which the readers of agents share.
import { brokenParent } from './broken-parent/index.ts'
import { cutDocument } from './cut-document/index.ts'
import type { Damage, LogDamage } from './damage.ts'
import { damagedDatabase } from './damaged-database/index.ts'
import { danglingRewind } from './dangling-rewind/index.ts'
import { documentMark } from './document-mark/index.ts'
import { documentRest } from './document-rest/index.ts'
import { doubledDocument } from './doubled-document/index.ts'
import { emptiedHistory } from './emptied-history/index.ts'
import { emptyText } from './empty-text/index.ts'
import { brokenLines } from './lines/index.ts'
import { loneSurrogate } from './lone-surrogate/index.ts'
import { lostFields } from './lost-fields/index.ts'
import { lostHeader } from './lost-header/index.ts'
import { lostIndex } from './lost-index/index.ts'
import { lostRoot } from './lost-root/index.ts'
import { malformedDocument } from './malformed-document/index.ts'
import { malformedMessage } from './malformed-message/index.ts'
import { malformedText } from './malformed-text/index.ts'
import { missingPunctuation } from './missing-punctuation/index.ts'
import { nulTail } from './nul-tail/index.ts'
import { parentCycle } from './parent-cycle/index.ts'
import { progressParent } from './progress-parent/index.ts'
import { refusedRecord } from './refused-record/index.ts'
import { repeatedHeader } from './repeated-header/index.ts'
import { repeatedRecords } from './repeated-records/index.ts'
import { secondRoot } from './second-root/index.ts'
import { makeLineDamage } from './shared/make-line-damage.ts'
import { strayFile } from './stray-file/index.ts'
import { trailingComma } from './trailing-comma/index.ts'
import { unpairedTool } from './unpaired-tool/index.ts'
import { unreadableFile } from './unreadable-file/index.ts'
import { unreadableRow } from './unreadable-row/index.ts'
import { unsettledTool } from './unsettled-tool/index.ts'
import { unsettledToolFile } from './unsettled-tool-file/index.ts'
import { unsignedThinking } from './unsigned-thinking/index.ts'
import { wrongTime } from './wrong-time/index.ts'

export const damages: readonly Damage[] = [
  lostHeader,
  ...brokenLines.map(makeLineDamage),
  repeatedRecords,
  repeatedHeader,
  refusedRecord,
  brokenParent,
  secondRoot,
  parentCycle,
  progressParent,
  wrongTime,
  malformedMessage,
  danglingRewind,
  emptiedHistory,
  documentMark,
  nulTail,
  malformedText,
  trailingComma,
  missingPunctuation,
  lostFields,
  malformedDocument,
  doubledDocument,
  cutDocument,
  documentRest,
  strayFile,
  unreadableFile,
  lostRoot,
  unsettledToolFile,
  unpairedTool,
  unsignedThinking,
  emptyText,
  loneSurrogate,
  damagedDatabase,
  unreadableRow,
  unsettledTool,
  lostIndex,
]

export const damagesOfLogs: readonly LogDamage[] = damages.filter(damage => damage.framing === 'json-lines')
