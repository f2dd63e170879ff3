// The title of the browser tab. The open conversation comes first, because a tab shows little.
import { useEffect } from 'react'
import { useStore } from '../state/store.ts'
import type { View } from '../state/view.ts'
import { openTitle, view } from '../state/view.ts'

const NAME = 'rethread'

export function titleFor({ session, pane }: View, isNarrow: boolean, title: string | undefined): string {
  if (session === null) return isNarrow && pane === 'list' ? `Conversations · ${NAME}` : `Home · ${NAME}`
  if (isNarrow && pane === 'list') return `Conversations · ${NAME}`
  const name = title ?? 'Conversation'
  return pane === 'health' ? `Health: ${name} · ${NAME}` : `${name} · ${NAME}`
}

export function usePageTitle(isNarrow: boolean): void {
  const now = useStore(view)
  const known = useStore(openTitle)
  const title = titleFor(now, isNarrow, known?.session === now.session ? known.title : undefined)
  useEffect(() => {
    document.title = title
  }, [title])
}
