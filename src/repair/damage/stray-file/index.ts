// A file in the session's folders that the agent did not write: a copy, an editor's backup, a conflict of a
// synchronised folder. An agent that reads every file in its folders fails on it.
import type { ParsedTreeFile } from '../../../agents/repair.ts'
import type { TreeDamage } from '../damage.ts'
import { NOTHING_PLANNED } from '../damage.ts'
import { breakableFiles, describeFile } from '../shared/trees.ts'

const DAMAGE = 'stray-file'
const ENDINGS = ['.bak', '~', '.tmp', '.orig'] as const

export const strayFile: TreeDamage = {
  id: DAMAGE,
  title: 'file that does not belong there',
  why: 'A file that is not the agent’s lies among its files, for example a copy made by a sync tool. The agent tries to read it and cannot load the session. A repair moves it to the vault.',
  framing: 'json-tree',
  appliesTo: () => true,
  detect(subject) {
    const strays = subject.files.filter(file => file.role === 'stray')
    const text = 'This file is not one of the agent’s, and the agent cannot load the session because of it.'
    return strays.map(file => ({
      ...describeFile(subject, file, { damage: DAMAGE, severity: 'survived', text }),
      detail: file,
    }))
  },
  plan(subject, detected) {
    if (subject.isLive) return NOTHING_PLANNED
    const reason = 'Move the file to the vault: it does not belong there'
    const files = detected.map(({ detail }) => detail as ParsedTreeFile)
    return { changes: files.map(({ file }) => ({ type: 'remove', file, damage: DAMAGE, reason })), refused: [] }
  },
  inflict(target, random) {
    const files = breakableFiles(target, 'message', 'part')
    const file = files[random.below(files.length)]
    if (file === undefined) return undefined
    const stray = `${file.file}${ENDINGS[random.below(ENDINGS.length)]}`
    target.write(stray, target.read(file.file))
    return { what: `a copy left at ${stray}`, destroyed: 0 }
  },
}
