// An image in the conversation. Shown on request, from the bytes of the session. Nothing is loaded from an
// address in a message.
import { useEffect, useState } from 'react'
import type { ApiPart } from '../../../../src/server/protocol.ts'
import { Button } from '../../common/button.tsx'
import { cleanLine } from '../../common/clean.ts'
import { formatBytes } from '../../common/format.ts'
import { IconImage } from '../../common/icons.tsx'
import { ApiFailure, api } from '../../state/api.ts'
import { useConversation, useFold } from '../conversation-context.ts'

type FilePart = Extract<ApiPart, { type: 'file' }>

/** Formats that cannot contain scripts. */
const DRAWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

interface Props {
  part: FilePart
  bytes: number
  index: number
  number: number
}

export function ImagePart({ part, bytes, index, number }: Props) {
  const [isOpen, setIsOpen] = useFold(`image ${index} ${number}`)
  const name = part.name === null ? 'Image' : cleanLine(part.name)
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <p className="inline-flex max-w-full items-center gap-2 rounded-md border border-line px-2.5 py-1 text-quiet text-sm">
        <IconImage size={16} />
        <span className="min-w-0 truncate text-normal">{name}</span>
        <span className="shrink-0 text-xs">
          {cleanLine(part.mime ?? '')} · {formatBytes(bytes)}
        </span>
        <Button variant="quiet" size="sm" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide image' : 'Show image'}
        </Button>
      </p>
      {isOpen && <Picture index={index} number={number} alt={name} />}
    </div>
  )
}

type Loaded = { state: 'loading' } | { state: 'shown'; address: string } | { state: 'failed'; words: string }

function Picture({ index, number, alt }: { index: number; number: number; alt: string }) {
  const { sessionKey, branch, version } = useConversation()
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' })
  useEffect(() => {
    const abort = new AbortController()
    let address: string | undefined
    api.image(sessionKey, index, number, { branch, version }, abort.signal).then(
      blob => {
        if (abort.signal.aborted) return
        if (!DRAWN.has(blob.type)) return setLoaded({ state: 'failed', words: 'This image cannot be shown.' })
        address = URL.createObjectURL(blob)
        setLoaded({ state: 'shown', address })
      },
      error => {
        if (!abort.signal.aborted) setLoaded({ state: 'failed', words: wordsOf(error) })
      },
    )
    return () => {
      abort.abort()
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [sessionKey, branch, version, index, number])
  if (loaded.state === 'loading') return <p className="text-quiet text-sm">Loading the image…</p>
  if (loaded.state === 'failed')
    return (
      <p role="alert" className="text-lost text-sm">
        {loaded.words}
      </p>
    )
  const broken = () => setLoaded({ state: 'failed', words: 'The image is damaged and cannot be shown.' })
  return (
    <img
      src={loaded.address}
      alt={alt}
      onError={broken}
      className="max-h-[480px] max-w-full rounded-md border border-line bg-sunken object-contain"
    />
  )
}

function wordsOf(error: unknown): string {
  return error instanceof ApiFailure ? `${error.message} ${error.hint}` : String(error)
}
