// What a check tells: the damage of each conversation, and what JP itself would make of it. Changes nothing.
import type { SanitizeReport } from '../../sanitizer.ts'
import { type CopyState, classifyConversation, damagedFiles, isIntact } from '../classify/index.ts'
import type { Conversation } from '../conversations.ts'
import { heldText } from '../lock.ts'
import type { Workspace } from '../roots.ts'
import { conditionText, diagnose } from './diagnosis.ts'
import { entryFor } from './report.ts'

export function reportDamage(workspace: Workspace, conversation: Conversation, report: SanitizeReport): void {
  const { copies, lock, isHealthy } = classifyConversation(conversation, { workspace })
  const diagnosis = diagnose({ copies, isHealthy })
  for (const copy of copies) {
    if (isIntact(copy)) continue
    const { folder } = copy
    if (lock.type === 'held') {
      report.skipped.push(entryFor('skipped', folder, heldText(lock), { error: 'locked' }))
    } else if (diagnosis.type !== 'blocked') reportCopy(copy, report)
    else if (diagnosis.copy === copy) {
      // To JP it may be mere damage; we leave all of it alone.
      const { text: error, state } = diagnosis
      report.blocked.push(entryFor('blocked', folder, error, { file: state.file, error }))
    }
  }
}

function reportCopy(copy: CopyState, report: SanitizeReport): void {
  const { judgement, folder } = copy
  const damaged = damagedFiles(copy)
  const all = damaged.map(conditionText).join('; ')
  const file = damaged[0]?.file === undefined ? {} : { file: damaged[0].file }
  switch (judgement.type) {
    case 'locked-out':
      report.lockedOut.push(
        entryFor('lockedOut', folder, all === '' ? judgement.reason : all, { ...file, error: judgement.reason }),
      )
      break
    case 'trashed': {
      // A folder without an id may hold damaged files as well.
      const texts = judgement.file === undefined ? [judgement.error, all] : [all]
      const text = texts.filter(part => part !== '').join('; ')
      const line = `${text}. The next command of JP moves it to its trash`
      report.left.push(entryFor('left', folder, line, { ...file, error: judgement.error }))
      break
    }
    // A link out of the storage is not followed, but it can be set aside.
    case 'blocked':
    case 'loads':
      report.left.push(entryFor('left', folder, all, { ...file, error: all }))
      break
  }
}
