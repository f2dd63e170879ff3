// What the doctor of the server found, and what this page asked
// it to do. The home view and the list share it.
import { toast } from 'sonner'
import type { DoctorAnswer, FixResults, MissingSession, MovedFolder } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { ApiFailure, doctorApi } from '../state/api.ts'
import { listen } from '../state/socket.ts'
import { makeStore } from '../state/store.ts'

export interface DoctorState {
  answer: DoctorAnswer | null
  failure: ApiFailure | null
}

/** Something that was listed again, and can be undone. */
export interface FixDone {
  id: string
  text: string
  receipts: readonly string[]
  notes: readonly string[]
}

export const doctor = makeStore<DoctorState>({ answer: null, failure: null })
export const fixesDone = makeStore<readonly FixDone[]>([])
/** The ids of moves, receipts, and keys of conversations that the server works on. */
export const working = makeStore<ReadonlySet<string>>(new Set())
/** The folder whose plan is shown. */
export const moveAsked = makeStore<MovedFolder | null>(null)

/** The shortest time between two requests while sessions are being found. */
const RENEW_EVERY_MS = 5000
let timer: ReturnType<typeof setTimeout> | undefined

export async function loadDoctor(): Promise<void> {
  try {
    doctor.set({ answer: await doctorApi.report(), failure: null })
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    doctor.set(before => ({ ...before, failure: error }))
  }
}

/** Returns the function that ends it. */
export function followDoctor(): () => void {
  void loadDoctor()
  const renew = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      void loadDoctor()
    }, RENEW_EVERY_MS)
  }
  const stops = [listen('library.changed', renew), listen('ready', renew)]
  return () => {
    clearTimeout(timer)
    timer = undefined
    for (const stop of stops) stop()
  }
}

export async function relink(sessions: readonly MissingSession[], text: string): Promise<void> {
  const keys = sessions.flatMap(({ key }) => key ?? [])
  await during(keys, async () => finish(await doctorApi.relink(keys), text))
}

export async function moveFolder({ id }: MovedFolder, text: string): Promise<void> {
  await during([id], async () => finish(await doctorApi.move(id), text))
}

export async function undoFix({ id, receipts }: FixDone): Promise<void> {
  await during([id], async () => {
    for (const receipt of receipts.toReversed()) await doctorApi.undo(receipt)
    fixesDone.set(before => before.filter(each => each.id !== id))
  })
}

function finish({ results }: FixResults, text: string): void {
  const receipts = results.flatMap(({ receipt }) => receipt ?? [])
  const notes = results.flatMap(result => result.notes)
  const [id] = receipts
  if (id !== undefined) fixesDone.set(before => [{ id, text, receipts, notes }, ...before])
  for (const { error } of results) if (error !== undefined) showFailure(error.text, error.hint)
  if (results.length === 0) toast('Nothing had to be changed.')
}

async function during(ids: readonly string[], work: () => Promise<void>): Promise<void> {
  working.set(before => new Set([...before, ...ids]))
  try {
    await work()
    await loadDoctor()
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    showFailure(error.message, error.hint)
  } finally {
    working.set(before => new Set([...before].filter(id => !ids.includes(id))))
  }
}

function showFailure(text: string, hint: string): void {
  toast.error(cleanText(text), { description: cleanText(hint) })
}
