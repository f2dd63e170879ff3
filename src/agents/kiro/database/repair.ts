// The adapter for checks of sessions in the database. Its rows are never written.
import { readOnlyRepair } from '../../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
