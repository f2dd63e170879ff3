// What a check tells: the damage of each conversation, and what JP itself would make of it. Changes nothing.
import type { SanitizeReport } from '../../sanitizer.ts'
import { type CopyState, classifyConversation, damagedFiles, isWhole } from '../classify/index.ts'
import type { Conversation } from '../conversations.ts'
import type { Workspace } from '../roots.ts'
import { conditionText } from './course.ts'
import { heldText } from './repair-conversation.ts'
import { entryFor } from './report.ts'

export function tellDamage(workspace: Workspace, conversation: Conversation, report: SanitizeReport): void {
  const { copies, lock } = classifyConversation(conversation, { workspace })
  for (const copy of copies) {
    if (isWhole(copy)) continue
    const { folder } = copy
    if (lock.type === 'held') {
      report.skipped.push(entryFor('skipped', folder, heldText(lock), { error: 'locked' }))
    } else tellCopy(copy, report)
  }
}

function tellCopy(copy: CopyState, report: SanitizeReport): void {
  const { judgement, folder } = copy
  const damaged = damagedFiles(copy)
  const all = damaged.map(conditionText).join('; ')
  const file = damaged[0]?.file === undefined ? {} : { file: damaged[0].file }
  switch (judgement.type) {
    case 'blocked':
      report.blocked.push(
        entryFor('blocked', folder, judgement.reason, { file: judgement.file, error: judgement.reason }),
      )
      break
    case 'locked-out':
      report.lockedOut.push(
        entryFor('lockedOut', folder, all === '' ? judgement.reason : all, { ...file, error: judgement.reason }),
      )
      break
    case 'trashed': {
      const text = all === '' ? judgement.error : all
      const line = `${text}. The next command of JP moves it to its trash`
      report.left.push(entryFor('left', folder, line, { ...file, error: judgement.error }))
      break
    }
    case 'loads':
      report.left.push(entryFor('left', folder, all, { ...file, error: all }))
      break
  }
}
