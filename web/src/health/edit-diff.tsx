// One edit of a plan: exact hex and text before and after, with the changed bytes marked.
import { useMemo, useRef } from 'react'
import type { ApiEdit } from '../../../src/server/protocol.ts'
import { cleanText } from '../common/clean.ts'
import { formatCount, plural } from '../common/format.ts'
import { HexLines, useRowWidth } from '../common/hex-table.tsx'
import type { EditSide } from './edit-bytes.ts'
import { editBytes } from './edit-bytes.ts'
import { damageWords } from './finding-groups.ts'

export function EditDiff({ edit }: { edit: ApiEdit }) {
  const box = useRef<HTMLElement>(null)
  const width = useRowWidth(box, edit.end)
  const sides = useMemo(() => editBytes(edit, width), [edit, width])
  return (
    <article ref={box} className="min-w-0 overflow-hidden rounded-md border border-line">
      <header className="border-line border-b bg-raised px-3 py-2 text-sm">
        <p className="text-strong [overflow-wrap:anywhere]">{cleanText(edit.reason)}</p>
        <p className="text-quiet text-xs">
          {damageWords(edit.damage)} · byte {formatCount(edit.start)} · {sizeWords(edit)}
        </p>
        {edit.detail !== undefined && <p className="text-quiet text-xs">{cleanText(edit.detail)}</p>}
      </header>
      <Side name="Before" sign="−" side={sides.before} tone="lost" isEmpty={edit.oldLength === 0} />
      <Side name="After" sign="+" side={sides.after} tone="healthy" isEmpty={edit.newLength === 0} />
    </article>
  )
}

function sizeWords({ oldLength, newLength }: ApiEdit): string {
  if (oldLength === newLength) return `${plural(oldLength, 'byte')} replaced`
  if (oldLength === 0) return `${plural(newLength, 'byte')} inserted`
  if (newLength === 0) return `${plural(oldLength, 'byte')} removed`
  return `${plural(oldLength, 'byte')} become ${formatCount(newLength)}`
}

interface SideProps {
  name: string
  sign: string
  side: EditSide
  tone: 'lost' | 'healthy'
  isEmpty: boolean
}

function Side({ name, sign, side, tone, isEmpty }: SideProps) {
  return (
    <figure
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto border-line px-2 py-2 [&+&]:border-t"
    >
      <p className="mb-1 flex gap-2 text-quiet text-xs">
        <span aria-hidden="true" className={tone === 'lost' ? 'text-lost' : 'text-healthy'}>
          {sign}
        </span>
        {name}
        {isEmpty && <span>(empty)</span>}
      </p>
      <HexLines rows={side.rows} tone={tone} />
      {side.hidden > 0 && (
        <p className="py-1 text-quiet text-xs">… {plural(side.hidden, 'further byte')} of the same edit …</p>
      )}
      {side.rest.length > 0 && <HexLines rows={side.rest} tone={tone} />}
    </figure>
  )
}
