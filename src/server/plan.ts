// Describes a plan for the page: the bytes before and after, some bytes around them, and the plan in words.
import { openFile } from '../disk/files/read.ts'
import type { ByteEdit, Change, Patch } from '../model/plan.ts'
import { countReasons } from '../model/plan.ts'
import type { SessionRef } from '../model/session.ts'
import type { Verdict } from '../model/verdict.ts'
import type { ApiChange, ApiEdit, ApiPlan } from './api.ts'
import type { Services } from './services.ts'
import { apiVerdict } from './verdict.ts'

const MAX_EDITS_SHOWN = 200
/** Bytes shown on either side of an edit, and of the edit itself. */
const AROUND_BYTES = 48
const MAX_EDIT_BYTES = 512

interface Planned {
  verdict: Verdict
  changes: Change[]
}

export function planForPage(
  services: Pick<Services, 'context' | 'sessions'>,
  session: SessionRef,
  { verdict, changes }: Planned,
): ApiPlan {
  return {
    verdict: apiVerdict(services, verdict),
    changes: changes.map(change => describeChange(change, session)),
    meaning: countReasons(changes).slice(0, MAX_EDITS_SHOWN),
  }
}

function describeChange(change: Change, session: SessionRef): ApiChange {
  switch (change.type) {
    case 'patch':
      return describePatch(change, session)
    case 'write': {
      const { type, file, damage, reason, bytes } = change
      return { type, file, damage, reason, bytes: bytes.length }
    }
    case 'remove':
    case 'rebuild-database': {
      const { type, file, damage, reason } = change
      return { type, file, damage, reason }
    }
    case 'row': {
      const { type, file, table, damage, reason } = change
      return { type, file, table, damage, reason }
    }
  }
}

function describePatch({ file: path, edits }: Patch, session: SessionRef): ApiChange {
  const file = openFile(path, session.storeRoot)
  try {
    const edited = { range: (start: number, end: number) => file.range(start, end), size: file.identity.size }
    const shown = edits.slice(0, MAX_EDITS_SHOWN).map(edit => describeEdit(edit, edited))
    return { type: 'patch', file: path, edits: shown, moreEdits: edits.length - shown.length }
  } finally {
    file.close()
  }
}

/** Reads the bytes that an edit changes. */
export interface EditedBytes {
  range(start: number, end: number): Buffer
  size: number
}

export function describeEdit({ start, end, bytes, damage, reason, detail }: ByteEdit, file: EditedBytes): ApiEdit {
  const base64 = (from: number, to: number): string => file.range(from, to).toString('base64')
  return {
    start,
    end,
    old: base64(start, Math.min(end, start + MAX_EDIT_BYTES)),
    new: bytes.subarray(0, MAX_EDIT_BYTES).toString('base64'),
    oldLength: end - start,
    newLength: bytes.length,
    before: base64(Math.max(0, start - AROUND_BYTES), start),
    after: base64(end, Math.min(file.size, end + AROUND_BYTES)),
    damage,
    reason,
    ...(detail === undefined ? {} : { detail }),
  }
}
