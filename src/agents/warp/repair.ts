// What is needed to check a session in the database. Nothing in it is ever written.
import { readOnlyRepair } from '../stores/read-only-database.ts'
import { read } from './read.ts'

export const repair = readOnlyRepair(read)
