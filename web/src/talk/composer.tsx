// The message box. Typed text is kept as a draft while another conversation is open.
import type { KeyboardEvent } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { TalkState } from '../../../src/server/protocol.ts'
import { Button } from '../common/button.tsx'
import { cleanLine } from '../common/clean.ts'
import { IconArrowUp, IconStop } from '../common/icons.tsx'
import { useLayout } from '../common/use-layout.ts'
import { useShortcut } from '../keyboard.ts'
import { talkApi } from '../state/api.ts'
import { CommandList } from './command-list.tsx'
import { StateLine } from './state-line.tsx'
import { justBegun, orToast, stopTalk } from './talk-actions.ts'
import { useCommandChoice } from './use-command-choice.ts'

const drafts = new Map<string, string>()

interface Props {
  sessionKey: string
  talk: TalkState
}

export function Composer({ sessionKey, talk }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(drafts.get(sessionKey) ?? '')
  const [isFocused, setIsFocused] = useState(false)
  const isBusy = talk.status === 'busy'
  const isHeld = talk.heldElsewhere !== null
  const isPhone = useLayout() === 'narrow'
  const write = (next: string) => {
    drafts.set(sessionKey, next)
    setText(next)
  }
  const say = async () => {
    const said = text.trim()
    if (said === '' || isBusy || isHeld) return
    write('')
    if (await orToast(async () => await talkApi.prompt(sessionKey, said))) return
    // Restores the text after a failure, unless something new was typed.
    write(drafts.get(sessionKey) || said)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || choice.takeKey(event) || event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    void say()
  }
  useShortcut('m', 'Write a message', () => box.current?.focus(), !isFocused && !isHeld)
  useShortcut('Escape', 'Leave the message box', () => box.current?.blur(), isFocused)
  // Registered after the shortcut that leaves the box, because the later shortcut runs first.
  const choice = useCommandChoice({ commands: talk.commands, text, isFocused, write })
  const isChoosing = choice.fitting.length > 0
  useShortcut('s', 'Stop the answer', () => void stopTalk(sessionKey), isBusy)
  useEffect(() => {
    if (justBegun.delete(sessionKey)) box.current?.focus()
  }, [sessionKey])
  const combobox = isChoosing
    ? ({
        role: 'combobox',
        'aria-expanded': true,
        'aria-controls': choice.id,
        'aria-activedescendant': `${choice.id}${choice.active}`,
        'aria-autocomplete': 'list',
      } as const)
    : {}
  return (
    <>
      <form
        aria-label="Message to the agent"
        onSubmit={event => {
          event.preventDefault()
          void say()
        }}
        className="relative flex items-end gap-2 rounded-md border border-line-strong bg-page p-1.5 focus-within:border-accent"
      >
        {isChoosing && <CommandList choice={choice} agentTitle={talk.agentTitle} />}
        <textarea
          ref={box}
          aria-label="Message"
          aria-describedby="composer-state"
          // Only while a command is chosen, when the box has one line.
          {...combobox}
          placeholder={isHeld ? 'Open in another rethread' : `Write to ${cleanLine(talk.agentTitle)}`}
          rows={1}
          value={text}
          disabled={isHeld}
          enterKeyHint={isPhone ? 'enter' : 'send'}
          onChange={event => write(event.target.value)}
          onKeyDown={onKeyDown}
          onFocus={() => setIsFocused(true)}
          onBlur={() => setIsFocused(false)}
          className="max-h-[30vh] min-h-8 min-w-0 flex-1 resize-none bg-transparent px-1.5 py-1.5 text-base text-strong outline-none [field-sizing:content] placeholder:text-quiet disabled:cursor-not-allowed max-sm:text-lg"
        />
        {isBusy ? (
          <Button
            icon={<IconStop size={14} />}
            shortcut={isPhone ? undefined : 's'}
            onClick={() => void stopTalk(sessionKey)}
          >
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            variant="primary"
            icon={<IconArrowUp size={14} />}
            disabled={isHeld || text.trim() === ''}
          >
            Send
          </Button>
        )}
      </form>
      <StateLine talk={talk} commands={choice.fitting.length} />
    </>
  )
}
