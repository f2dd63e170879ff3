// Checks that there is space for the copies and the new files, before the first byte is written.
import { dirname } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { statIfThere } from '../files/handles.ts'
import { files } from '../files/system-calls.ts'
import { fromSystemError, quote } from '../files/system-errors.ts'

/** For receipts, folders, and what other programs write meanwhile. */
const RESERVE_BYTES = 4 * 1024 * 1024

export interface SpaceNeed {
  /** A folder on the file system in question. */
  folder: string
  bytes: number
}

/**
 * Adds up the needs on the same file system. Shared blocks (reflinks) may need less, but are not relied on.
 */
export function assertSpace(needs: readonly SpaceNeed[]): void {
  const byDevice = new Map<string, SpaceNeed>()
  for (const { folder: wanted, bytes } of needs) {
    const folder = nearestExisting(wanted)
    const device = String(deviceOf(folder))
    byDevice.set(device, { folder, bytes: bytes + (byDevice.get(device)?.bytes ?? RESERVE_BYTES) })
  }
  for (const { folder, bytes } of byDevice.values()) {
    const free = spaceOf(folder)
    if (free < bytes) throw noSpace(folder, bytes, free)
  }
}

/** The folder itself, or the nearest existing parent. A dangling link does not exist. */
export function nearestExisting(folder: string): string {
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
