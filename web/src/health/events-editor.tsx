// Edits the events of a conversation as text. The error is marked, the text is validated at each pause, and
// only valid text can be saved.
import type { KeyboardEvent } from 'react'
import { useEffect, useId, useRef, useState } from 'react'
import type { EventsQuestion } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine, cleanText } from '../common/clean.ts'
import { Dialog } from '../common/dialog.tsx'
import { formatCount } from '../common/format.ts'
import { IconCheck, IconWarning } from '../common/icons.tsx'
import type { TextEditorHandle } from './text-editor.tsx'
import { TextEditor } from './text-editor.tsx'
import type { Validation } from './use-validation.ts'
import { useValidation } from './use-validation.ts'

interface Props {
  sessionKey: string
  question: EventsQuestion
  content: string
  onClose: () => void
  save: (text: string) => void
}

export function EventsEditor({ sessionKey, question, content, onClose, save }: Props) {
  const [text, setText] = useState(content)
  const [isLeaving, setIsLeaving] = useState(false)
  const { text: words, line, column } = question
  const first = { text: content, result: { isRight: false as const, text: words, line, column } }
  const validation = useValidation(sessionKey, text, first)
  const editor = useRef<TextEditorHandle>(null)
  const status = useId()
  const leave = () => (text === content ? onClose() : setIsLeaving(true))
  // The browser lets a page keep a dialog open at the first Esc, but not at the second.
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (isLeaving) setIsLeaving(false)
    else leave()
  }
  useEffect(() => editor.current?.goTo(line, column), [line, column])
  const commit = () => {
    onClose()
    save(text)
  }
  const actions = isLeaving ? (
    <Leaving stay={() => setIsLeaving(false)} go={onClose} {...{ onEscape }} />
  ) : (
    <>
      <Button onClick={leave}>Cancel</Button>
      <Button variant="primary" disabled={validation.isRight !== true} onClick={commit}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog title={`Edit ${cleanLine(question.file)}`} onClose={leave} actions={actions} width="max-w-5xl">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of what is inside come through here */}
      <div className="flex flex-col gap-3" onKeyDown={onEscape}>
        <div id={status} role="status" className="min-h-5 text-sm">
          <ValidationMessage {...{ validation }} goTo={(at, byte) => editor.current?.goTo(at, byte)} />
        </div>
        <TextEditor
          label={`Text of ${cleanLine(question.file)}`}
          describedBy={status}
          text={text}
          onText={setText}
          wrongLine={validation.isRight === false ? validation.line : null}
          handle={editor}
        />
        <p className="text-quiet text-xs">
          The file is replaced only when you save, and only with text that can be loaded. The old one is kept beside it.
        </p>
      </div>
    </Dialog>
  )
}

function ValidationMessage({
  validation,
  goTo,
}: {
  validation: Validation
  goTo: (line: number, column: number) => void
}) {
  if (validation.isRight === undefined) return <p className="text-quiet">Checking…</p>
  if (validation.isRight)
    return (
      <p className="flex items-start gap-2 text-strong">
        <IconCheck size={14} className="mt-[3px] text-healthy" />
        This can be loaded.
      </p>
    )
  const { text, line, column } = validation
  return (
    <p className="flex items-start gap-2 text-strong">
      <IconWarning size={14} className="mt-[3px] shrink-0 text-lost" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {cleanText(text)}{' '}
        {line !== null && (
          <button
            type="button"
            onClick={() => goTo(line, column)}
            className="rounded text-accent underline-offset-2 hover:underline"
          >
            Go to line {formatCount(line)}
          </button>
        )}
      </span>
    </p>
  )
}

interface LeavingProps {
  stay: () => void
  go: () => void
  onEscape: (event: KeyboardEvent) => void
}

function Leaving({ stay, go, onEscape }: LeavingProps) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <div role="alert" className="flex flex-wrap items-center justify-end gap-2" onKeyDown={onEscape}>
      <span className="text-sm text-strong">Your changes would be lost.</span>
      <Button ref={first} onClick={stay}>
        Keep editing
      </Button>
      <Button onClick={go}>Discard</Button>
    </div>
  )
}
