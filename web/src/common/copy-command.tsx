// A command or a setting to paste, with a button that copies it.
import { useEffect, useState } from 'react'
import { IconCheck, IconCopy } from './icons.tsx'

const COPIED_MS = 1500

export function CopyCommand({ command, label = 'Copy command' }: { command: string; label?: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | undefined>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), COPIED_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () =>
    void writeClipboard(command).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  return (
    <span className="inline-flex max-w-full items-stretch overflow-hidden rounded-md border border-line bg-sunken text-left">
      <code className="min-w-0 select-all whitespace-pre-wrap break-words px-2 py-1 font-mono text-strong text-xs leading-5">
        {command}
      </code>
      <button
        type="button"
        onClick={copy}
        aria-label={label}
        title={label}
        className="flex w-7 shrink-0 items-center justify-center border-line border-l text-quiet hover:bg-hover hover:text-strong"
      >
        {outcome === 'copied' ? <IconCheck size={14} className="text-healthy" /> : <IconCopy size={14} />}
      </button>
      <span role="status" className={outcome === 'failed' ? 'px-2 py-1 text-xs leading-5' : 'sr-only'}>
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select it and copy it by hand' : ''}
      </span>
    </span>
  )
}

async function writeClipboard(text: string): Promise<void> {
  // Absent where the page is not served from this machine and without TLS.
  if (navigator.clipboard === undefined) throw new Error('This browser does not allow copying from the page.')
  await navigator.clipboard.writeText(text)
}
