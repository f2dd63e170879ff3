// Examines a tree of JSON files: what the damage classes find and what they would change. The tree as it
// would be after the changes is examined again: what is left, and what the agent would load.
import type { ParsedTreeFile } from '../../agents/repair.ts'
import { sessionGone } from '../../agents/stores/session-gone.ts'
import { Findings } from '../../model/finding.ts'
import type { Change, Refusal } from '../../model/plan.ts'
import type { TreeDamage, TreeSubject } from '../damage/damage.ts'
import type { Examination, Examine } from './examination.ts'
import { TreeView } from './tree-view.ts'

/** Repairs can uncover other damage. After this many rounds, the rest is reported and not repaired. */
const MAX_ROUNDS = 4

export const examineTree: Examine<'json-tree'> = async (session, traits, repair, damages, { isLive }) => {
  const applicable = damages.filter(damage => damage.appliesTo(traits, repair))
  const view = new TreeView(session, repair)
  const makeSubject = (): TreeSubject => ({ session, traits, repair, isLive, files: view.files() })
  const first = makeSubject()
  if (first.files.length === 0) throw sessionGone(session)
  const messageCount = repair.countMessages(first.files)
  const now = isUsable(first.files) ? messageCount : 0
  const rounds = new TreeRounds(session.filePath)
  let subject = first
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const changes = await rounds.add(subject, applicable)
    if (view.make(changes) === 0) break
    subject = makeSubject()
  }
  // Changes are dropped where the agent could still not load the session.
  const changes = isUsable(subject.files) ? view.changes() : []
  const after = changes.length === 0 ? now : repair.countMessages(subject.files)
  return conclude(rounds, { now, after, messageCount, changes })
}

function conclude(
  rounds: TreeRounds,
  { now, after, messageCount, changes }: { now: number; after: number; messageCount: number; changes: Change[] },
): Examination {
  return {
    findings: rounds.findings.list,
    moreFindings: rounds.findings.beyondLimit,
    changes,
    refusals: rounds.refusals,
    loads: { now, afterRepair: after },
    chainDepth: now,
    orphanCount: 0,
    messageCount,
  }
}

/** The agent loads nothing if one file is unusable. */
function isUsable(files: readonly ParsedTreeFile[]): boolean {
  return (
    files.some(file => file.role === 'session') &&
    files.every(file => file.role !== 'stray' && file.value !== undefined)
  )
}

/** Findings and changes over all rounds. */
class TreeRounds {
  readonly findings = new Findings()
  readonly refusals: Refusal[] = []
  readonly #path: string
  readonly #known = new Set<string>()

  constructor(path: string) {
    this.#path = path
  }

  /** One round. Returns the changes that the damage classes plan. */
  async add(subject: TreeSubject, damages: readonly TreeDamage[]): Promise<Change[]> {
    const changes: Change[] = []
    for (const damage of damages) {
      const detected = await damage.detect(subject)
      if (detected.length === 0) continue
      for (const { finding } of detected)
        if (this.#isNew(`${finding.damage} ${finding.at.file}`)) this.findings.add(finding)
      const planned = damage.plan(subject, detected)
      changes.push(...planned.changes)
      for (const { reason } of planned.refused)
        if (this.#isNew(`refused ${damage.id} ${reason}`))
          this.refusals.push({ damage: damage.id, reason, file: this.#path })
    }
    return changes
  }

  #isNew(key: string): boolean {
    if (this.#known.has(key)) return false
    this.#known.add(key)
    return true
  }
}
