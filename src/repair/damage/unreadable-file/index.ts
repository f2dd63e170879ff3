// One file of a tree is cut short, empty or otherwise not JSON. The whole session becomes unusable.
import type { TreeDamage } from '../damage.ts'
import { describeFile, isEmptyFile, isFullyRecoverable } from '../shared/trees.ts'
import { inflict } from './inflict.ts'
import { plan } from './plan.ts'

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
