// The panes of one tab, beside and below each other.
import { Divider } from '../common/divider.tsx'
import type { Layout } from '../common/use-layout.ts'
import { resizeSplit } from './dock.ts'
import { PaneView } from './pane-view.tsx'
import type { Tree } from './split-tree.ts'
import { LEAST_SHARE } from './split-tree.ts'

const PERCENT = { least: LEAST_SHARE * 100, most: (1 - LEAST_SHARE) * 100, step: 5 }

export function SplitView({ tree, layout }: { tree: Tree; layout: Layout }) {
  if (tree.type === 'pane') return <PaneView key={tree.pane} id={tree.pane} layout={layout} />
  const isRight = tree.direction === 'right'
  return (
    <div className={`flex h-full min-h-0 min-w-0 flex-1 ${isRight ? 'flex-row' : 'flex-col'}`}>
      <div className="flex min-h-0 min-w-0" style={{ flex: `${tree.share} 1 0` }}>
        <SplitView tree={tree.first} layout={layout} />
      </div>
      <Divider
        label="Size of the panes"
        orientation={isRight ? 'vertical' : 'horizontal'}
        value={tree.share * 100}
        {...PERCENT}
        valueAt={(fromStart, room) => (fromStart / room) * 100}
        onValue={value => resizeSplit(tree.id, value / 100)}
        onReset={() => resizeSplit(tree.id, 0.5)}
      />
      <div className="flex min-h-0 min-w-0" style={{ flex: `${1 - tree.share} 1 0` }}>
        <SplitView tree={tree.second} layout={layout} />
      </div>
    </div>
  )
}
