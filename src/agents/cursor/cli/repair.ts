// What is needed to check a chat in a database of either generation. Nothing in one is ever written.
import { mendWithoutWriting } from '../../stores/read-only-database.ts'
import { read } from '../read.ts'

export const mend = mendWithoutWriting(read)
