// The side bar of the editor is not examined. Its windows are named by the path and the
// inode of their folder, and each conversation in the shared database names its window
// beside its keys, so a move leaves both as they are.
import { type FolderMove, type ListedPlace, type ListingPlan, movedPath, type StoreListing } from '../../listing.ts'

export const listing: StoreListing = {
  inspect: async () => ({ states: new Map(), problems: [], stale: [] }),
  async planMove({ sessions }: ListedPlace, move: FolderMove): Promise<ListingPlan> {
    const concerned = sessions.filter(
      ({ project, subagentOf }) =>
        subagentOf === undefined && project !== undefined && movedPath(project, move) !== undefined,
    )
    if (concerned.length === 0) return { changes: [], notes: [] }
    const names = concerned.map(({ sessionId }) => sessionId).slice(0, 3)
    const more = concerned.length > names.length ? ', …' : ''
    const note = `The editor of Cursor shows ${concerned.length} of its conversations only in ${move.from}: ${names.join(', ')}${more}. rethread reads them with "rethread show", and does not move them.`
    return { changes: [], notes: [note] }
  },
}
