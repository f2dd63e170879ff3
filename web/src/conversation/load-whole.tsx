// The line under a part that was cut: how much there is, and a button that brings all of it.
import { Button } from '../common/button.tsx'
import { formatBytes } from '../common/format.ts'
import type { Whole } from './use-whole.ts'

export function LoadWhole({ whole, shown, cut }: { whole: Whole; shown: number; cut: number | undefined }) {
  if (cut === undefined || cut <= 0 || whole.state === 'whole') return null
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2 text-quiet text-sm">
      <Button size="sm" onClick={whole.load} disabled={whole.state === 'loading'}>
        {whole.state === 'loading' ? `Loading ${formatBytes(shown + cut)}…` : `Load all ${formatBytes(shown + cut)}`}
      </Button>
      <span role={whole.state === 'failed' ? 'alert' : undefined}>
        {whole.state === 'failed' ? whole.failure : 'Only the beginning is shown.'}
      </span>
    </div>
  )
}
