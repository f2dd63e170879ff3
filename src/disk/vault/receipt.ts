// What a repair does, recorded before it is done: enough to undo it exactly, and to know after a crash how
// far it came.
import { z } from 'zod'
import { insideSchema, storedBytesSchema, storedColumnsSchema } from './stored-schemas.ts'
import { RECEIPT_VERSION } from './vault.ts'

const integer = z.number().int()
/** Nanoseconds since 1970, which a JSON number would round. */
const nanoseconds = z.string().regex(/^-?\d+$/)
const why = { damage: z.string(), reason: z.string() }

/** A file as it was before the repair changed it. */
const hashedFileSchema = z.object({
  /** With all links followed. */
  path: z.string(),
  device: z.string(),
  inode: z.string(),
  size: integer,
  mode: integer,
  uid: integer,
  gid: integer,
  accessedNs: nanoseconds,
  modifiedNs: nanoseconds,
  sha256: z.string(),
  /** The full copy, in the receipt's folder. */
  backup: insideSchema,
})

/** The hash is absent for edits in place: its copy and the bytes of the edits say what it was and what it is. */
const fileBeforeSchema = hashedFileSchema.partial({ sha256: true })

const fileAfterSchema = z.object({
  device: z.string(),
  inode: z.string(),
  size: integer,
  modifiedNs: nanoseconds,
})

const editSchema = z.object({ start: integer, end: integer, ...why, old: storedBytesSchema, new: storedBytesSchema })

const patchSchema = z.object({
  type: z.literal('patch'),
  way: z.enum(['in-place', 'rewrite']),
  before: fileBeforeSchema,
  /** The size and hash after the edits. Bytes appended later follow them. */
  sizeAfter: integer,
  /** Absent where the copy and the edits say it: for edits in place, of which both are kept. */
  sha256After: z.string().optional(),
  after: fileAfterSchema.optional(),
  edits: z.array(editSchema),
})

const removeSchema = z.object({ type: z.literal('remove'), ...why, isDatabase: z.boolean(), before: hashedFileSchema })

const writeSchema = z.object({
  type: z.literal('write'),
  ...why,
  path: z.string(),
  /** Null where the file did not exist. */
  before: hashedFileSchema.nullable(),
  sizeAfter: integer,
  sha256After: z.string(),
  after: fileAfterSchema.optional(),
  /** Absent where the archive has the content. */
  new: storedBytesSchema.optional(),
})

/** The device number of a disk may change when it is mounted again. */
const namedSchema = z.object({ device: z.string(), inode: z.string() })

const moveSchema = z.object({
  type: z.literal('move'),
  ...why,
  path: z.string(),
  to: z.string(),
  moved: z.object({
    kind: z.enum(['file', 'folder', 'link']),
    device: z.string(),
    inode: z.string(),
    size: integer,
    modifiedNs: nanoseconds,
    /** Its new identity after each copy of the surrounding folder to another disk. */
    copies: z.array(namedSchema).optional(),
  }),
  /**
   * For a folder that was copied to another disk: the copy, recorded before it got its name. Absent where it
   * was renamed.
   */
  copied: namedSchema.optional(),
  /** The same for the way back. */
  returned: namedSchema.optional(),
  /** Null for a folder or a link, which is not copied. */
  before: hashedFileSchema.nullable(),
  /** Null where nothing takes the old name. */
  instead: z.object({ sizeAfter: integer, sha256After: z.string(), new: storedBytesSchema }).nullable(),
})

const rowSchema = z.object({
  table: z.string(),
  key: storedColumnsSchema,
  before: storedColumnsSchema.nullable(),
  after: storedColumnsSchema.nullable(),
})

const rowsSchema = z.object({
  type: z.literal('rows'),
  path: z.string(),
  before: z.array(hashedFileSchema),
  reasons: z.array(z.object({ table: z.string(), key: storedColumnsSchema, ...why })),
  /** Null until right before the commit of the transaction. */
  rows: z.array(rowSchema).nullable(),
})

const rebuildSchema = z.object({
  type: z.literal('rebuild-database'),
  ...why,
  path: z.string(),
  /** The database and the files that belong to it. */
  before: z.array(hashedFileSchema),
  sizeAfter: integer.optional(),
  /** Known once the new database is ready to be swapped in. */
  sha256After: z.string().optional(),
  after: fileAfterSchema.optional(),
  report: z.unknown(),
})

const storedChangeSchema = z.discriminatedUnion('type', [
  patchSchema,
  removeSchema,
  writeSchema,
  moveSchema,
  rowsSchema,
  rebuildSchema,
])

export const receiptSchema = z.object({
  version: z.literal(RECEIPT_VERSION),
  id: z.string(),
  time: z.iso.datetime(),
  agent: z.string(),
  sessionId: z.string(),
  filePath: z.string(),
  /** `failed`: neither done nor rolled back; `note` says what is where. */
  state: z.enum(['started', 'applied', 'rolled-back', 'undone', 'failed']),
  /** Set while an undo is running, so that a killed one is finished. */
  undoStartedAt: z.iso.datetime().optional(),
  /** Changes that the undo leaves as they are, by their index. */
  left: z.array(integer).optional(),
  undoneAt: z.iso.datetime().optional(),
  /** What happened, where it was not simply done. */
  note: z.string().optional(),
  backupRemovedAt: z.iso.datetime().optional(),
  changes: z.array(storedChangeSchema),
})

export type Receipt = z.infer<typeof receiptSchema>

/** How `sessionId` begins in a receipt about several sessions, or only about settings. */
export const SEVERAL_SESSIONS = 'relink-'

export function isAboutSession({ sessionId }: Receipt): boolean {
  return !sessionId.startsWith(SEVERAL_SESSIONS)
}

export type StoredChange = z.infer<typeof storedChangeSchema>
export type FileBefore = z.infer<typeof fileBeforeSchema>
export type HashedFile = z.infer<typeof hashedFileSchema>
export type StoredEdit = z.infer<typeof editSchema>
export type StoredPatch = z.infer<typeof patchSchema>
export type StoredRemove = z.infer<typeof removeSchema>
export type StoredWrite = z.infer<typeof writeSchema>
export type StoredMove = z.infer<typeof moveSchema>
export type StoredName = z.infer<typeof namedSchema>
export type StoredRows = z.infer<typeof rowsSchema>
export type StoredRebuild = z.infer<typeof rebuildSchema>
export type StoredRowJson = z.infer<typeof rowSchema>

/** The damage classes that a change repairs, one for each of its edits. */
export function damagesIn(change: StoredChange): string[] {
  switch (change.type) {
    case 'patch':
      return change.edits.map(({ damage }) => damage)
    case 'rows':
      return change.reasons.map(({ damage }) => damage)
    case 'remove':
    case 'write':
    case 'move':
    case 'rebuild-database':
      return [change.damage]
  }
}

/** Why a change was made, one for each of its edits. */
export function reasonsIn(change: StoredChange): string[] {
  switch (change.type) {
    case 'patch':
      return change.edits.map(({ reason }) => reason)
    case 'rows':
      return change.reasons.map(({ reason }) => reason)
    case 'remove':
    case 'write':
    case 'move':
    case 'rebuild-database':
      return [change.reason]
  }
}
