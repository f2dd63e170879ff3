// How much of a conversation its agent would load, now and after a repair. The text below says the same.
import { formatCount } from '../common/format.ts'

export function LoadsBar({ now, afterRepair }: { now: number; afterRepair: number }) {
  const all = Math.max(now, afterRepair)
  if (all === 0) return null
  return (
    <div className="flex flex-col gap-1.5">
      <div aria-hidden="true" className="relative h-2 overflow-hidden rounded bg-hover">
        <Part of={afterRepair / all} look="bg-healthy opacity-35" />
        <Part of={now / all} look={now < all ? 'bg-damaged' : 'bg-healthy'} />
      </div>
      <dl className="flex justify-between gap-3 text-sm">
        <Figure word="Loads now" count={now} />
        <Figure word="After repair" count={afterRepair} />
      </dl>
    </div>
  )
}

/** Even a tiny share stays visible. */
function Part({ of, look }: { of: number; look: string }) {
  if (of === 0) return null
  return <span className={`absolute inset-y-0 left-0 min-w-0.5 rounded ${look}`} style={{ width: `${of * 100}%` }} />
}

function Figure({ word, count }: { word: string; count: number }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-quiet">{word}</dt>
      <dd className="font-medium text-strong tabular-nums">{formatCount(count)}</dd>
    </div>
  )
}
