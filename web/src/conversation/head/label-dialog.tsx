// The name and the tags of a conversation.
import type { FormEvent } from 'react'
import { useId, useState } from 'react'
import type { SessionDetail } from '../../../../src/server/protocol.ts'
import { Button } from '../../common/button.tsx'
import { cleanLine } from '../../common/clean.ts'
import { Dialog } from '../../common/dialog.tsx'
import { changeLabel } from './label-actions.ts'

const FIELD = 'h-8 w-full rounded-md border border-line bg-page px-2 text-base text-strong placeholder:text-quiet'

export function LabelDialog({ detail, onClose }: { detail: SessionDetail; onClose: () => void }) {
  const isNamed = detail.originalTitle !== undefined
  const agentsTitle = (isNamed ? detail.originalTitle : detail.title) ?? ''
  const [name, setName] = useState(isNamed ? (detail.title ?? '') : '')
  const [tags, setTags] = useState((detail.tags ?? []).join(', '))
  const id = useId()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = tags
      .split(',')
      .map(tag => tag.trim())
      .filter(tag => tag !== '')
    const isSaved = await changeLabel(detail.key, { name: name.trim() === '' ? null : name, tags: wanted })
    if (isSaved) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" type="submit" form={id}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog title="Name and tags" onClose={onClose} actions={actions}>
      <form id={id} onSubmit={event => void save(event)} className="flex flex-col gap-3 text-base">
        <label className="flex flex-col gap-1">
          <span className="text-quiet text-sm">Name</span>
          <input
            value={name}
            onChange={event => setName(event.target.value)}
            placeholder={cleanLine(agentsTitle) || 'Untitled conversation'}
            maxLength={200}
            className={FIELD}
          />
        </label>
        <label className="flex flex-col gap-1">
          <span className="text-quiet text-sm">Tags, separated by commas</span>
          <input
            value={tags}
            onChange={event => setTags(event.target.value)}
            placeholder="billing, needs-review"
            maxLength={1000}
            className={FIELD}
          />
        </label>
        <p className="text-quiet text-sm">
          Only rethread knows them. The files of {cleanLine(detail.agentTitle)} stay as they are.
        </p>
      </form>
    </Dialog>
  )
}
