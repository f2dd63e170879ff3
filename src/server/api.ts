// The shapes of the HTTP API, shared by the server and the page.
export * from './api/common.ts'
export * from './api/conversations.ts'
export * from './api/health.ts'
export * from './api/messages.ts'
export * from './api/sanitize.ts'
export * from './api/search.ts'
export * from './api/server.ts'
export * from './api/sessions.ts'
