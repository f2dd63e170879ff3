// The page: its built files, and the first load, which exchanges the token or ticket in the address for a
// cookie so that neither stays in the browser history.

import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { exists, listFolder, readSmallFile } from '../disk/files/read.ts'
import { RethreadError } from '../model/errors.ts'
import type { App } from './http.ts'
import type { Services } from './services.ts'

const A_YEAR_SECONDS = 365 * 24 * 60 * 60

export function welcome(app: App, { auth }: Services): void {
  app.get('/', async (context, next) => {
    const { token, ticket } = context.req.query()
    const isWelcome =
      (token !== undefined && auth.isToken(token)) || (ticket !== undefined && auth.redeemTicket(ticket))
    if (!isWelcome) return await next()
    context.header('set-cookie', auth.cookie())
    return context.redirect('/', 303)
  })
}

export function servePage(app: App, page: Map<string, PageFile>): void {
  app.get('/*', context => {
    const { path } = context.req
    const file = page.get(path === '/' ? '/index.html' : path)
    if (file === undefined) return context.notFound()
    context.header('etag', file.etag)
    context.header('cache-control', file.isLasting ? `private, max-age=${A_YEAR_SECONDS}, immutable` : 'no-cache')
    if (context.req.header('if-none-match') === file.etag) return context.body(null, 304)
    context.header('content-type', file.type)
    return context.body(new Uint8Array(file.bytes))
  })
}

export interface PageFile {
  bytes: Buffer
  type: string
  etag: string
  /** The name contains a hash of the content, so it can be cached forever. */
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

/** Loads all files into memory, by their URL path. A request can only get exactly these. */
export function loadPage(folder: string, { isOptional = false } = {}): Map<string, PageFile> {
  if (!exists(join(folder, 'index.html'))) {
    if (!isOptional) throw notBuilt(folder)
    return new Map([['/index.html', { ...NOT_BUILT, isLasting: false }]])
  }
  const page = new Map<string, PageFile>()
  addFolder(page, folder, '', folder)
  return page
}

const NOT_BUILT = {
  bytes: Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><title>rethread</title>
<p>rethread is running for programs. The page itself is not built. In a checkout: <code>npm start</code></p></html>`),
  type: 'text/html; charset=utf-8',
  etag: '"not-built"',
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
