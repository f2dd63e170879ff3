// Actions on a live conversation. A refusal of the server is shown as a toast.
import { toast } from 'sonner'
import type { BegunTalk, ForkPlace } from '../../../src/server/protocol.ts'
import { renewAtOnce } from '../catalog/list.ts'
import { ApiFailure, talkApi } from '../state/api.ts'
import { noteUnlisted } from '../state/unlisted.ts'
import { goHome, openSession } from '../state/view.ts'

/** New conversations, whose message box gets the focus. */
export const justBegun = new Set<string>()

export function openTalk({ key, isListed }: BegunTalk): void {
  if (!isListed) noteUnlisted(key)
  justBegun.add(key)
  openSession(key)
}

export async function forkTalk(key: string, place: ForkPlace): Promise<void> {
  await orToast(async () => openTalk(await talkApi.fork(key, place)))
}

export async function stopTalk(key: string): Promise<void> {
  await orToast(async () => await talkApi.cancel(key))
}

/** Leaves the conversation first: an open one would be requested again and not found. */
export async function removeTalk(key: string): Promise<void> {
  goHome()
  const isRemoved = await orToast(async () => await talkApi.remove(key))
  if (!isRemoved) return openSession(key)
  await renewAtOnce()
  toast('Removed from the list. Its messages stay in the journal.')
}

/** Returns false if the server refused. */
export async function orToast(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    toast.error(error.message, { description: error.hint })
    return false
  }
}
