// What is needed to check a chat of the command line agent. Nothing in its database is ever written.
import { readOnlyRepair } from '../../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
