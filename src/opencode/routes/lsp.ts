// Language servers: rethread runs none.
import type { OpenCodeApp } from '../api.ts'

export function addLsp(app: OpenCodeApp): void {
  app.get('/lsp', context => context.json([]))
}
