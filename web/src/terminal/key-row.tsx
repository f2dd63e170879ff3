// Keys that touch keyboards lack and agents need.
import { type } from './requests.ts'
import { viewOf } from './views.ts'

const KEYS = [
  { label: 'Esc', data: '\u001b' },
  { label: 'Tab', data: '\t' },
  { label: '^C', name: 'Control C', data: '\u0003' },
  { label: '↑', name: 'Up', arrow: 'A' },
  { label: '↓', name: 'Down', arrow: 'B' },
  { label: '←', name: 'Left', arrow: 'D' },
  { label: '→', name: 'Right', arrow: 'C' },
  { label: '⏎', name: 'Enter', data: '\r' },
]

export function KeyRow({ pane }: { pane: string }) {
  const press = ({ data, arrow }: { data?: string; arrow?: string }) => {
    const isApplication = viewOf(pane)?.terminal.modes.applicationCursorKeysMode === true
    type(pane, data ?? `\u001b${isApplication ? 'O' : '['}${arrow}`)
  }
  return (
    <div className="hidden shrink-0 gap-1 overflow-x-auto border-line border-t bg-page p-1 pointer-coarse:flex">
      {KEYS.map(key => (
        <button
          key={key.label}
          type="button"
          aria-label={key.name}
          // The terminal keeps the focus, so the touch keyboard stays open.
          onPointerDown={event => event.preventDefault()}
          onClick={() => press(key)}
          className="h-9 min-w-9 flex-1 rounded-md border border-line px-1 font-mono text-normal text-sm active:bg-hover"
        >
          {key.label}
        </button>
      ))}
    </div>
  )
}
