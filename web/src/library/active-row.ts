// The row that the keyboard is at: Enter opens it. Not the same as the open conversation.
import { makeStore } from '../state/store.ts'

export const activeRow = makeStore<string | null>(null)
