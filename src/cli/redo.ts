// What an undone change was, and the command that makes it again.
import { UNLISTED } from '../agents/listing.ts'
import { MCP_SETTING } from '../agents/mcp-host.ts'
import { damagesIn, type Receipt, reasonsIn } from '../disk/vault/receipt.ts'
import { paste } from '../model/paste.ts'
import { ADOPTED } from '../repair/adopt/adoption-plan.ts'
import { restoredFrom } from '../repair/restore-archived/restore-plan.ts'

export interface Redo {
  /** What was undone, such as "repair". */
  what: string
  /** As the first words of a line, such as "Repair it again". */
  again: string
  command: string
}

export function redoOf(receipt: Pick<Receipt, 'agent' | 'sessionId' | 'changes'>, repairAgain?: string): Redo {
  const { agent, sessionId, changes } = receipt
  const damages = changes.flatMap(damagesIn)
  const reasons = changes.flatMap(reasonsIn)
  const restored = restoredFrom(reasons)
  if (damages.includes(MCP_SETTING))
    return { what: 'change', again: 'Make it again', command: paste('rethread mcp --write --install', agent) }
  if (restored !== undefined) {
    const { time, sessionId: archived } = restored
    const command =
      archived === undefined
        ? paste(`rethread restore --at ${time}`, sessionId)
        : paste(`rethread restore --as-new --at ${time}`, archived)
    return { what: 'restore', again: 'Restore it again', command }
  }
  if (reasons.some(reason => reason.startsWith(ADOPTED)))
    return { what: 'adoption', again: 'Adopt it again', command: paste('rethread restore --from DIR', sessionId) }
  if (damages.includes(UNLISTED))
    return { what: 'fix', again: 'See what its agent does not list', command: 'rethread doctor' }
  return { what: 'repair', again: 'Repair it again', command: repairAgain ?? paste('rethread repair', sessionId) }
}
