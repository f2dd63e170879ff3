// Rows of hex and text. Marked bytes have a background and a line, not only a colour.
import type { RefObject } from 'react'
import { useEffect, useRef, useState } from 'react'
import { formatCount } from './format.ts'
import type { HexCell, HexRow } from './hex-rows.ts'

export type MarkTone = 'damaged' | 'healthy' | 'lost'

const MARKED: Record<MarkTone, string> = {
  damaged: 'bg-damaged-soft text-damaged underline decoration-2 underline-offset-2 font-semibold',
  healthy: 'bg-healthy-soft text-healthy underline decoration-2 underline-offset-2 font-semibold',
  lost: 'bg-lost-soft text-lost underline decoration-2 underline-offset-2 font-semibold',
}
const RUN_WORDS: Record<number, string> = { 0: 'zeros', 32: 'spaces' }
/** The width of a monospace character at 12 px. */
const CHARACTER_PX = 7.23
const PADDING_PX = 16
const WIDTHS = [16, 8, 4]

/** A scrolling box, with the first marked byte in view. */
export function HexTable({ rows, label }: { rows: readonly HexRow[]; label: string }) {
  const box = useRef<HTMLElement>(null)
  const first = rows[0]?.offset
  const width = rows[0]?.cells.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when other bytes are shown, not when the person scrolled
  useEffect(() => {
    const marked = box.current?.querySelector<HTMLElement>('[data-marked]')
    if (box.current !== null && marked != null) box.current.scrollTop = marked.offsetTop - box.current.clientHeight / 3
  }, [first, width])
  return (
    <figure
      ref={box}
      aria-label={label}
      data-scrolls
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative max-h-[260px] overflow-auto px-2 py-2"
    >
      <HexLines rows={rows} tone="damaged" />
    </figure>
  )
}

export function HexLines({ rows, tone }: { rows: readonly HexRow[]; tone: MarkTone }) {
  const digits = digitsFor(rows.at(-1)?.offset ?? 0)
  return (
    <div className="font-mono text-xs leading-[18px]">
      {rows.map(row => (
        <div
          key={row.offset}
          data-marked={row.cells.some(cell => cell?.isMarked) ? '' : undefined}
          className="flex w-max gap-[1ch] whitespace-pre"
        >
          <span className="select-none text-quiet">{row.offset.toString(16).padStart(digits, '0')}</span>
          {row.run === undefined ? <Bytes cells={row.cells} tone={tone} /> : <Run row={row} tone={tone} />}
        </div>
      ))}
    </div>
  )
}

function Bytes({ cells, tone }: { cells: HexRow['cells']; tone: MarkTone }) {
  return (
    <>
      <span>{cells.map((cell, at) => hexOf(cell, at, cells.length, tone))}</span>
      <span className="text-strong">{cells.map((cell, at) => textOf(cell, at, tone))}</span>
    </>
  )
}

function Run({ row, tone }: { row: HexRow; tone: MarkTone }) {
  const { byte = 0, count = 0 } = row.run ?? {}
  const isMarked = row.cells[0]?.isMarked === true
  return (
    <span className={`font-sans ${isMarked ? MARKED[tone] : 'text-quiet'}`}>
      {formatCount(count)} {RUN_WORDS[byte] ?? 'equal bytes'}
    </span>
  )
}

function hexOf(cell: HexCell | undefined, at: number, width: number, tone: MarkTone) {
  const gap = at === width - 1 ? '' : width === 16 && at === 7 ? '  ' : ' '
  return (
    <span key={at}>
      <span className={cell?.isMarked ? MARKED[tone] : ''}>{cell?.hex ?? '  '}</span>
      {gap}
    </span>
  )
}

function textOf(cell: HexCell | undefined, at: number, tone: MarkTone) {
  return (
    <span key={at} className={cell?.isMarked ? MARKED[tone] : ''}>
      {cell?.text ?? ' '}
    </span>
  )
}

function digitsFor(offset: number): number {
  return Math.max(4, offset.toString(16).length)
}

/** How many bytes fit in a row: 16, 8 or 4. */
export function useRowWidth(box: RefObject<HTMLElement | null>, lastOffset: number): number {
  const [width, setWidth] = useState(8)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => {
      const room = (element.clientWidth - PADDING_PX) / CHARACTER_PX - digitsFor(lastOffset) - 2
      setWidth(WIDTHS.find(bytes => bytes * 4 - 1 + (bytes === 16 ? 1 : 0) <= room) ?? 4)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, lastOffset])
  return width
}
