// THE LIST of migrations, in their order. One that has been published is never changed: what is to be different is a new one.
import type { Migration } from 'kysely'
import { firstTables } from './0001-first-tables.ts'
import { connections } from './0002-connections.ts'

export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-connections': connections,
}
