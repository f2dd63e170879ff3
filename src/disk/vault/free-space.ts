// Is there room for the copies and for the new files? Asked before the first byte is written.
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError, quote } from '../files/system-errors.ts'

/** For receipts, folders and what others write meanwhile. */
const RESERVE_BYTES = 4 * 1024 * 1024

export interface SpaceNeed {
  /** A folder on the file system that is asked. */
  folder: string
  bytes: number
}

/** Needs on the same file system are added up. Shared blocks (reflinks) may make it less; they are not counted on. */
export function assertSpace(needs: readonly SpaceNeed[]): void {
  const byDevice = new Map<string, SpaceNeed>()
  for (const { folder: wanted, bytes } of needs) {
    const folder = firstThatIsThere(wanted)
    const device = String(deviceOf(folder))
    byDevice.set(device, { folder, bytes: bytes + (byDevice.get(device)?.bytes ?? RESERVE_BYTES) })
  }
  for (const { folder, bytes } of byDevice.values()) {
    const free = spaceOf(folder)
    if (free < bytes) throw noSpace(folder, bytes, free)
  }
}

/** The folder itself, or the nearest above it. A link that leads nowhere is not there. */
export function firstThatIsThere(folder: string): string {
  let there = folder
  while (statIfThere(there, 'stat') === undefined && dirname(there) !== there) there = dirname(there)
  return there
}

function deviceOf(folder: string): bigint {
  try {
    return files().stat(folder).dev
  } catch (error) {
    throw fromSystemError(error, folder)
  }
}

function spaceOf(folder: string): number {
  try {
    return files().space(folder)
  } catch (error) {
    throw fromSystemError(error, folder)
  }
}

function noSpace(folder: string, bytes: number, free: number): RethreadError {
  return new RethreadError({
    code: 'no-space',
    text: `${inMegabytes(bytes)} MB are needed at ${folder} for the copies and the new files, and ${inMegabytes(free)} MB are free. Nothing was changed.`,
    hint: `Make room and try again: df -h ${quote(folder)}`,
    path: folder,
  })
}

function inMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024)
}
