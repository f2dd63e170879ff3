// Files in the folders that a session works in. Nothing outside of them is read or written, whatever path or
// link names it.
import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { accessSync, constants, fchmodSync, fchownSync, mkdirSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RethreadError } from '../../model/errors.ts'
import { removeIfThere } from '../state/own-files.ts'
import { type AnchoredFolder, openAnchored } from './anchored-folder.ts'
import { closeHandle, type Handle, statHandle, statIfThere, syncHandle, writeAll } from './handles.ts'
import { statPath } from './read.ts'
import { resolveInside, type SessionPath } from './session-path.ts'
import { files } from './system-calls.ts'
import { fromSystemError, fromWriteError, quote, systemCode } from './system-errors.ts'

/** A name that became a link, a pipe without a writer or a socket between the check and the opening. */
const NOT_REGULAR = new Set(['ELOOP', 'ENXIO'])
const READ_ONE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
const CREATE_ONE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
/** The umask of the user applies: these are the user's files. */
const NEW_FILE_MODE = 0o666
const NEW_FOLDER_MODE = 0o777

/** `use` gets a regular file and its size at the time of opening. */
export async function withSessionFile<T>(
  path: string,
  folders: readonly string[],
  use: (handle: Handle, size: number) => T | Promise<T>,
): Promise<T> {
  const handle = openForReading(resolveInside(path, folders))
  try {
    return await use(handle, Number(regular(statHandle(handle), path).size))
  } finally {
    closeHandle(handle)
  }
}

/**
 * After a crash, the file has either its old content or all of `bytes`. Creates the folders above it; keeps
 * mode and owner of an existing file.
 */
export function writeSessionFile(path: string, folders: readonly string[], bytes: Buffer): void {
  const place = resolveInside(path, folders)
  if (place.missing.length === 0) regular(statEntry(place.real), path)
  const name = place.missing.at(-1) ?? basename(place.real)
  const folder = place.missing.length === 0 ? enter(place, dirname(place.real)) : makeFolders(place)
  try {
    replaceIn(folder, name, path, bytes)
  } finally {
    folder.close()
  }
}

/** For a program that is started in a folder: returns the path as given if it leads to a folder inside. */
export function requireSessionFolder(path: string, folders: readonly string[]): string {
  const { real, missing } = resolveInside(path, folders)
  if (missing.length > 0) throw notThere(path)
  if (statPath(real).isDirectory()) return path
  throw new RethreadError({
    code: 'usage',
    text: `${path} is not a folder.`,
    hint: `See what it is: ls -ld ${quote(path)}`,
    path,
  })
}

function enter(place: SessionPath, folder: string): AnchoredFolder {
  return openAnchored(folder, place.accept)
}

function openForReading(place: SessionPath): Handle {
  const { path, real, missing } = place
  if (missing.length > 0) throw notThere(path)
  // Checked before opening, because opening a device can have effects.
  regular(statEntry(real), path)
  const folder = enter(place, dirname(real))
  try {
    return { fd: openSync(folder.at(basename(real)), READ_ONE), path }
  } catch (error) {
    throw NOT_REGULAR.has(systemCode(error)) ? notRegular(path) : fromSystemError(error, path)
  } finally {
    folder.close()
  }
}

/** Enters each folder before creating the next, so that a link put in between cannot redirect it. */
function makeFolders(place: SessionPath): AnchoredFolder {
  let folder = enter(place, place.real)
  for (const name of place.missing.slice(0, -1)) {
    const above = folder
    try {
      makeOne(above, name)
      folder = openAnchored(join(above.path, name), place.accept, above.at(name))
    } catch (error) {
      throw fromWriteError(error, place.path)
    } finally {
      above.close()
    }
  }
  return folder
}

function makeOne(above: AnchoredFolder, name: string): void {
  try {
    mkdirSync(above.at(name), NEW_FOLDER_MODE)
    files().syncFolder(above.here)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

function replaceIn(folder: AnchoredFolder, name: string, path: string, bytes: Buffer): void {
  const target = folder.at(name)
  const temporary = folder.at(`.rethread-${randomBytes(8).toString('hex')}`)
  try {
    const old = statIfThere(target)
    if (old !== undefined) requireWritable(target, regular(old, path))
    writeFresh(temporary, path, bytes, old)
    files().rename(temporary, target)
    files().syncFolder(folder.here)
  } catch (error) {
    removeIfThere(temporary)
    throw fromWriteError(error, path)
  }
}

/** A rename needs only write access to the folder. It must not replace a file that is read-only. */
function requireWritable(target: string, { mode }: BigIntStats): void {
  accessSync(target, constants.W_OK)
  if ((mode & 0o222n) === 0n) throw Object.assign(new Error('read-only'), { code: 'EACCES' })
}

function writeFresh(temporary: string, path: string, bytes: Buffer, old: BigIntStats | undefined): void {
  // The replacement of a private file is private from its first byte on.
  const fresh: Handle = { fd: openSync(temporary, CREATE_ONE, old === undefined ? NEW_FILE_MODE : 0o600), path }
  try {
    writeAll(fresh, bytes, 0)
    if (old !== undefined) keepOwnerAndMode(fresh, old)
    syncHandle(fresh)
  } finally {
    closeHandle(fresh)
  }
}

/** Sets the owner first, because changing it may clear mode bits. */
function keepOwnerAndMode({ fd, path }: Handle, old: BigIntStats): void {
  const now = statHandle({ fd, path })
  if (now.uid !== old.uid || now.gid !== old.gid) fchownSync(fd, Number(old.uid), Number(old.gid))
  fchmodSync(fd, Number(old.mode) & 0o7777)
}

/**
 * Stats the entry itself. Links were already followed, so it is a link only if another program just replaced
 * it.
 */
function statEntry(real: string): BigIntStats {
  const stats = statIfThere(real)
  if (stats === undefined) throw notThere(real)
  return stats
}

function regular(stats: BigIntStats, path: string): BigIntStats {
  if (stats.isFile()) return stats
  throw stats.isDirectory()
    ? fromSystemError(Object.assign(new Error('a folder'), { code: 'EISDIR' }), path)
    : notRegular(path)
}

function notRegular(path: string): RethreadError {
  return new RethreadError({
    code: 'not-a-regular-file',
    text: `${path} is not a regular file (a pipe, a device, a socket, or just became a link).`,
    hint: `See what it is: ls -l ${quote(path)}`,
    path,
  })
}

function notThere(path: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `${path} does not exist.`,
    hint: `See what is there: ls -la ${quote(dirname(path))}`,
    path,
  })
}
