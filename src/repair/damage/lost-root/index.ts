// The root file of a session is missing or not JSON. All messages exist, but the agent does not find them.
import type { TreeDamage, TreeSubject } from '../damage.ts'
import { NOTHING_PLANNED } from '../damage.ts'
import { breakableFiles, closeFile, describeFile } from '../shared/trees.ts'

const DAMAGE = 'lost-root'

export const lostRoot: TreeDamage = {
  id: DAMAGE,
  title: 'lost session file',
  why: 'The file that describes the session is gone or damaged. The agent does not find the session, although its messages are there. A repair rebuilds the file from them.',
  framing: 'json-tree',
  appliesTo: () => true,
  detect(subject) {
    const root = rootOf(subject)
    if (root !== undefined && root.value !== undefined) return []
    const how = root === undefined ? 'is gone' : 'is not JSON'
    const text = `The session’s file ${how}, so the agent does not find the session, although its messages are there.`
    const place = root ?? { file: subject.session.filePath, bytes: Buffer.alloc(0) }
    const isLive = isBeingWritten(subject)
    return [describeFile({ ...subject, isLive }, place, { damage: DAMAGE, severity: 'lost', text })]
  },
  plan(subject, [detected]) {
    if (isBeingWritten(subject) || detected === undefined) return NOTHING_PLANNED
    const root = rootOf(subject)
    const closed = root === undefined ? undefined : closeFile(subject, root, DAMAGE)
    if (closed !== undefined) return { changes: [closed], refused: [] }
    const rebuilt = subject.repair.rebuildRoot(subject.session, subject.files)
    if ('refused' in rebuilt)
      return {
        changes: [],
        refused: [{ finding: detected.finding, reason: `It cannot be rebuilt: ${rebuilt.refused}.` }],
      }
    return { changes: [{ type: 'write', damage: DAMAGE, ...rebuilt }], refused: [] }
  },
  inflict(target, random) {
    const [root] = breakableFiles(target, 'session')
    if (root === undefined) return undefined
    const bytes = target.read(root.file)
    const how = random.below(3)
    const length = how === 0 ? 0 : random.below(bytes.lastIndexOf('}') + 1)
    if (how === 2) target.remove(root.file)
    else target.write(root.file, bytes.subarray(0, length))
    const what = how === 2 ? 'file of the session removed' : `file of the session cut after ${length} bytes`
    return { what, destroyed: 0 }
  },
}

function rootOf({ files }: TreeSubject) {
  return files.find(file => file.role === 'session')
}

/**
 * The root file is written first and deleted last. Messages without a root file are therefore never a write
 * in progress.
 */
function isBeingWritten(subject: TreeSubject): boolean {
  return subject.isLive && rootOf(subject) !== undefined
}
