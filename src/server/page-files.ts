// The built page, held in memory: what a client may ask for is looked up by its exact name, so that no path leads anywhere else.
import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { exists, listFolder, readSmallFile } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'

export interface PageFile {
  bytes: Buffer
  type: string
  etag: string
  /** Its name changes with its content. */
  isLasting: boolean
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** By the path in the address, from the folder that the build wrote. */
export function loadPage(folder: string): Map<string, PageFile> {
  if (!exists(join(folder, 'index.html'))) throw notBuilt(folder)
  const page = new Map<string, PageFile>()
  addFolder(page, folder, '', folder)
  return page
}

function addFolder(page: Map<string, PageFile>, folder: string, prefix: string, root: string): void {
  for (const { name, isFolder } of listFolder(folder)) {
    const path = join(folder, name)
    if (isFolder) addFolder(page, path, `${prefix}/${name}`, root)
    else page.set(`${prefix}/${name}`, loadFile(path, root, prefix.startsWith('/assets')))
  }
}

function loadFile(path: string, root: string, isLasting: boolean): PageFile {
  const bytes = readSmallFile(path, root)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { bytes, type: TYPES[extname(path)] ?? 'application/octet-stream', etag, isLasting }
}

function notBuilt(folder: string): RethreadError {
  return new RethreadError({
    code: 'not-found',
    text: `The page is not built: ${join(folder, 'index.html')} is missing.`,
    hint: 'In a checkout, build it: npm run build',
    path: folder,
  })
}
