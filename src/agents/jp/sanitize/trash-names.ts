// What lies in JP's trash beside a conversation: its own note, and ours for bringing it back.

import { basename, join } from 'node:path'
import { z } from 'zod'
import { readOptionalFile } from '../../../disk/files/read.ts'
import { RethreadError } from '../../../model/errors.ts'
import { formatJson } from './config-sources.ts'

export const NOTE = 'TRASHED.md'
export const SIDECAR = 'TRASHED.rethread.json'
const MAX_NOTE_BYTES = 64 * 1024

/** As JP writes it: these headings, in this order. */
export function makeNote(error: string, now: Date, restore: string): Buffer {
  const date = `${now.toISOString().slice(0, 19)}Z`
  return Buffer.from(`# Trashed Conversation

This conversation was moved to the trash because JP could not have loaded it.

**Error:** ${error.replaceAll(/\s+/g, ' ')}
**Date:** ${date}

All of its files are as they were.
To repair it and bring it back: ${restore}
`)
}

export interface Note {
  error: string | undefined
  trashedAt: string | undefined
}

/** Only the two lines with a bold word in front; by whom it was written does not matter. */
export function readNote(folder: string): Note {
  const text = readSmall(join(folder, NOTE), folder)?.toString('utf8') ?? ''
  return {
    error: /^\*\*Error:\*\*[ \t]*(.+)$/m.exec(text)?.[1]?.trim(),
    trashedAt: /^\*\*Date:\*\*[ \t]*(.+)$/m.exec(text)?.[1]?.trim(),
  }
}

const sidecarSchema = z.object({
  version: z.literal(1),
  /** The name of the folder before it got a number. */
  name: z.string(),
  root: z.string(),
  place: z.string(),
  error: z.string(),
  trashedAt: z.string(),
  files: z.record(z.string(), z.string()),
  /** Those of its first call, as a person has typed them once. */
  flags: z.string().optional(),
})
export type Sidecar = z.infer<typeof sidecarSchema>

export function makeSidecar(sidecar: Omit<Sidecar, 'version'>): Buffer {
  return formatJson({ version: 1, ...sidecar })
}

/** Undefined where there is none, or none that we understand. */
export function readSidecar(folder: string): Sidecar | undefined {
  const bytes = readSmall(join(folder, SIDECAR), folder)
  if (bytes === undefined) return undefined
  try {
    const sidecar = sidecarSchema.parse(JSON.parse(bytes.toString('utf8')))
    return isNameOf(sidecar.name, basename(folder)) ? sidecar : undefined
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** In the trash it may have got a number, and nothing else: where it comes back to is made of this, and a storage can be somebody else's, brought along by git. */
function isNameOf(name: string, inTrash: string): boolean {
  return inTrash === name || (inTrash.startsWith(`${name}-`) && /^\d+$/.test(inTrash.slice(name.length + 1)))
}

/** It is only told from; one that cannot be read says nothing. */
function readSmall(path: string, root: string): Buffer | undefined {
  try {
    return readOptionalFile(path, root, MAX_NOTE_BYTES)
  } catch (error) {
    if (error instanceof RethreadError) return undefined
    throw error
  }
}
