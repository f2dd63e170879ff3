// The commands of the agent while the user types one: matches, the active one, and its keys.
import type { KeyboardEvent } from 'react'
import { useEffect, useId, useState } from 'react'
import { useShortcut } from '../keyboard.ts'
import type { Command } from './fitting-commands.ts'
import { fittingCommands } from './fitting-commands.ts'

interface Options {
  commands: readonly Command[]
  text: string
  isFocused: boolean
  write: (text: string) => void
}

export interface CommandChoice {
  /** The id of the list. The ids of its entries add their index. */
  id: string
  /** Empty: the list is hidden. */
  fitting: readonly Command[]
  active: number
  point: (at: number) => void
  take: (command: Command) => void
  /** Returns false if the list does not use the key. */
  takeKey: (event: KeyboardEvent) => boolean
}

export function useCommandChoice({ commands, text, isFocused, write }: Options): CommandChoice {
  const id = useId()
  const [at, setAt] = useState(0)
  const [isClosed, setIsClosed] = useState(false)
  const fitting = isFocused && !isClosed ? fittingCommands(commands, text) : []
  const active = Math.max(0, Math.min(at, fitting.length - 1))
  const isBegun = text.startsWith('/')
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words begin at the first one again
  useEffect(() => setAt(0), [text])
  // A closed list stays closed until a slash is typed again, so that the text can be sent.
  useEffect(() => {
    if (!isBegun) setIsClosed(false)
  }, [isBegun])
  useShortcut('Escape', 'Close the commands', () => setIsClosed(true), fitting.length > 0)
  const take = ({ name }: Command) => write(`/${name} `)
  const takeKey = (event: KeyboardEvent): boolean => {
    const chosen = fitting[active]
    if (chosen === undefined || event.shiftKey) return false
    const step = STEPS[event.key]
    if (step !== undefined) setAt((active + step + fitting.length) % fitting.length)
    else if (event.key === 'Tab') take(chosen)
    // A fully typed command is sent.
    else if (event.key === 'Enter' && text !== `/${chosen.name}`) take(chosen)
    else return false
    event.preventDefault()
    return true
  }
  return { id, fitting, active, point: setAt, take, takeKey }
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
