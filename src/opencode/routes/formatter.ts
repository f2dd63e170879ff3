// Formatters: rethread runs none.
import type { OpenCodeApp } from '../api.ts'

export function addFormatters(app: OpenCodeApp): void {
  app.get('/formatter', context => context.json([]))
}
