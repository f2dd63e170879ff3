// The adapter for checks of conversations of the editor. Its rows are never written.
import { readOnlyRepair } from '../../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
