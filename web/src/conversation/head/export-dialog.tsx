// Downloads a conversation as one file.
import { useState } from 'react'
import { Button } from '../../common/button.tsx'
import { Dialog } from '../../common/dialog.tsx'
import { IconDownload } from '../../common/icons.tsx'
import { addresses } from '../../state/api.ts'

const FORMATS = [
  ['markdown', 'Markdown', 'for notes, issues and other agents'],
  ['html', 'HTML', 'for a browser; it loads nothing and runs nothing'],
  ['json', 'JSON', 'for programs'],
] as const

export function ExportDialog({ sessionKey, onClose }: { sessionKey: string; onClose: () => void }) {
  const [format, setFormat] = useState<string>('markdown')
  const [isRedacted, setIsRedacted] = useState(false)
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <a
        href={addresses.export(sessionKey, format, isRedacted)}
        download
        onClick={() => setTimeout(onClose)}
        className="inline-flex h-8 items-center gap-1.5 rounded-md bg-accent px-3 font-medium text-on-accent text-sm hover:opacity-90"
      >
        <IconDownload size={14} />
        Download
      </a>
    </>
  )
  return (
    <Dialog title="Export this conversation" onClose={onClose} actions={actions}>
      <div className="flex flex-col gap-3 text-base">
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">Format</legend>
          {FORMATS.map(([value, name, words]) => (
            <label key={value} className="flex cursor-pointer items-baseline gap-2">
              <input
                type="radio"
                name="format"
                value={value}
                checked={format === value}
                onChange={() => setFormat(value)}
                className="accent-(--accent)"
              />
              <span className="text-strong">{name}</span>
              <span className="text-quiet text-sm">{words}</span>
            </label>
          ))}
        </fieldset>
        <label className="flex cursor-pointer items-baseline gap-2">
          <input
            type="checkbox"
            checked={isRedacted}
            onChange={event => setIsRedacted(event.target.checked)}
            className="accent-(--accent)"
          />
          <span className="text-strong">Redact keys, tokens, passwords, home paths and e-mail addresses</span>
        </label>
        {isRedacted && (
          <p className="text-quiet text-sm">
            The end of the file says what was replaced. No redaction is perfect: read it before you share it.
          </p>
        )}
      </div>
    </Dialog>
  )
}
