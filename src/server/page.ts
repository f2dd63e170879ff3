// The page itself: the first load trades the token or the ticket in its address for a cookie, so that neither stays in
// a history.
import type { App } from './http.ts'
import type { PageFile } from './page-files.ts'
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
