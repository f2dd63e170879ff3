// What is needed to check a conversation of the editor. Nothing in its database is ever written.
import { readOnlyRepair } from '../../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
