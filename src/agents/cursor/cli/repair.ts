// The adapter for checks of chats of the command line agent. Their rows are never written.
import { readOnlyRepair } from '../../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
