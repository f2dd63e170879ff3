// The foot of the list: the progress of the background check in words and as a thin bar. Its height is
// constant.
import { formatBytes } from '../common/format.ts'
import { useStore } from '../state/store.ts'
import { progress, progressShare, progressText } from './figures.ts'

export function CheckProgress() {
  const now = useStore(progress)
  const isDone = now === null || now.phase === 'done'
  const share = now === null ? 0 : Math.round(progressShare(now) * 100)
  const size = now?.phase === 'done' && now.bytesTotal > 0 ? ` · ${formatBytes(now.bytesTotal)}` : ''
  const words = now === null ? '' : progressText(now) + size
  return (
    <div className="border-line border-t">
      <div
        role="progressbar"
        aria-label="Background check"
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={words}
        className="h-0.5"
      >
        {!isDone && <div className="h-full bg-accent transition-[width] duration-150" style={{ width: `${share}%` }} />}
      </div>
      <p className="px-3.5 py-1.5 text-quiet text-xs leading-4">{words === '' ? '\u00A0' : <Words of={words} />}</p>
    </div>
  )
}

/** Breaks only before the parenthesis. */
function Words({ of }: { of: string }) {
  const [first, rest] = of.split(' (', 2)
  return (
    <>
      {first} {rest !== undefined && <span className="whitespace-nowrap">({rest}</span>}
    </>
  )
}
