// Names, pins, tags and hiding a conversation. rethread keeps them; the agent's files stay as they are.

import { toast } from 'sonner'
import type { LabelRequest } from '../../../../src/server/protocol.ts'
import { renewAtOnce } from '../../catalog/list.ts'
import { api } from '../../state/api.ts'
import { makeStore } from '../../state/store.ts'
import { orToast } from '../../talk/talk-actions.ts'

/** Grows with every change, for what shows a label outside the list. */
export const labelled = makeStore(0)

export async function changeLabel(key: string, change: LabelRequest): Promise<boolean> {
  const isDone = await orToast(async () => await api.label(key, change))
  if (!isDone) return false
  labelled.set(before => before + 1)
  await renewAtOnce()
  return true
}

export async function hideConversation(key: string): Promise<void> {
  if (!(await changeLabel(key, { hidden: true }))) return
  toast('Hidden from the list. Nothing is deleted.', {
    action: { label: 'Undo', onClick: () => void changeLabel(key, { hidden: false }) },
  })
}
