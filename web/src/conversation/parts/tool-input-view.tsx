// The input of a tool, shown by its shape.
import { useMemo } from 'react'
import { cleanLine, cleanText } from '../../common/clean.ts'
import { DiffView } from './diff-view.tsx'
import { foldLines } from './fold-lines.ts'
import { FoldedBox } from './folded-box.tsx'
import type { ToolInput } from './tool-input.ts'

export function ToolInputView({ input, name }: { input: ToolInput; name: string }) {
  switch (input.type) {
    case 'command':
      return (
        <div>
          <FoldedText text={input.command} name={name} label="Command" prompt />
          {input.folder !== undefined && (
            <p className="mt-1 px-1 text-quiet text-xs">
              in <span className="font-mono [overflow-wrap:anywhere]">{cleanLine(input.folder)}</span>
            </p>
          )}
        </div>
      )
    case 'changes':
      return <DiffView files={input.files} name={name} />
    case 'fields':
      return <Fields fields={input.fields} />
    case 'text':
    case 'json':
      return <FoldedText text={input.text} name={name} label="Input" />
    case 'nothing':
      return null
  }
}

interface FoldedTextProps {
  text: string
  name: string
  label: string
  prompt?: boolean
}

export function FoldedText({ text, name, label, prompt = false }: FoldedTextProps) {
  const folded = useMemo(() => foldLines(text), [text])
  return (
    <FoldedBox name={name} label={label} more={folded.more}>
      {isOpen => (
        <>
          {prompt && (
            <span aria-hidden="true" className="select-none text-quiet">
              ${' '}
            </span>
          )}
          <span className={prompt ? 'text-strong' : ''}>{cleanText(isOpen ? text : folded.text)}</span>
        </>
      )}
    </FoldedBox>
  )
}

function Fields({ fields }: { fields: readonly [string, string][] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-1 text-xs">
      {fields.map(([key, value]) => (
        <div key={key} className="contents">
          <dt className="text-quiet">{cleanLine(key)}</dt>
          <dd className="whitespace-pre-wrap font-mono text-normal [overflow-wrap:anywhere]">{cleanText(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
