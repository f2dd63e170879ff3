// One file of a tree is cut short, empty or otherwise not JSON. The whole session becomes unusable.

import type { ParsedTreeFile } from '../../../agents/repair.ts'
import type { Change } from '../../../model/plan.ts'
import {
  type Detected,
  type Inflict,
  NOTHING_PLANNED,
  type Planned,
  type TreeDamage,
  type TreeSubject,
} from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { breakableFiles, closeFile, describeFile, isEmptyFile, isFullyRecoverable } from '../shared/trees.ts'

const ESCAPED = Buffer.from('\\n')

/**
 * Cuts or empties one message or part, replaces an escaped newline in it with a raw one, or writes it
 * twice.
 */
const inflict: Inflict = (target, random) => {
  const files = breakableFiles(target, 'message', 'part')
  const file = files[random.below(files.length)]
  if (file === undefined) return undefined
  const bytes = target.read(file.file)
  const name = `${file.role} ${file.id}`
  const how = random.below(6)
  if (how === 0) {
    target.write(file.file, Buffer.concat([bytes, bytes]))
    return { what: `${name} written twice`, destroyed: 0 }
  }
  const escaped = bytes.indexOf(ESCAPED)
  if (how <= 2 && escaped !== -1 && bytes[escaped - 1] !== 0x5c) {
    target.write(file.file, replaceBytes(bytes, escaped, escaped + ESCAPED.length, '\n'))
    return { what: `a raw newline in ${name}`, destroyed: 0 }
  }
  // Without its last bracket the file is not JSON.
  const length = how === 3 ? 0 : random.below(bytes.lastIndexOf('}') + 1)
  target.write(file.file, bytes.subarray(0, length))
  return { what: `${name} cut after ${length} of ${bytes.length} bytes`, destroyed: 1 }
}

export const unreadableFile: TreeDamage = {
  id: 'unreadable-file',
  title: 'message or part that is not JSON',
  why: 'A file of the session was cut off or emptied while it was written. The agent cannot load the session because of it. A repair restores what is left of the file, or removes it.',
  framing: 'json-tree',
  appliesTo: () => true,
  detect(subject) {
    const unreadable = subject.files.filter(
      file => (file.role === 'message' || file.role === 'part') && file.value === undefined,
    )
    return unreadable.map(file => {
      const what = file.role === 'part' ? `A part of message ${file.of}` : `Message ${file.id}`
      const { bytes } = file
      const how = isEmptyFile(bytes) ? 'is empty' : 'is not JSON'
      const text = `${what} ${how}, so the agent cannot load the session.`
      const severity = isFullyRecoverable(subject, file) ? 'survived' : 'lost'
      return {
        ...describeFile(subject, { file: file.file, bytes }, { damage: 'unreadable-file', severity, text }),
        detail: file,
      }
    })
  },
  plan,
  inflict,
}

const DAMAGE = 'unreadable-file'

/**
 * Completes the file with its own bytes, or rewrites it from other files, or else removes it from the tree.
 */
function plan(subject: TreeSubject, detected: readonly Detected[]): Planned {
  if (subject.isLive) return NOTHING_PLANNED
  return { changes: detected.map(({ detail }) => repairFile(subject, detail as ParsedTreeFile)), refused: [] }
}

function repairFile(subject: TreeSubject, file: ParsedTreeFile): Change {
  return closeFile(subject, file, DAMAGE) ?? rebuild(subject, file)
}

function rebuild(subject: TreeSubject, file: ParsedTreeFile): Change {
  const remove = { type: 'remove', file: file.file, damage: DAMAGE } as const
  if (file.role === 'part') return { ...remove, reason: 'Move this unusable part to the vault' }
  const rebuilt = subject.repair.rebuildMessage(file, subject.files)
  if ('refused' in rebuilt)
    return {
      ...remove,
      reason: `Move this unusable message to the vault: ${rebuilt.refused}`,
    }
  return { type: 'write', damage: DAMAGE, ...rebuilt }
}
