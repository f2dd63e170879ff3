// The commands of the agent while one is typed: which fit, which one is meant, and the keys for it.
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
  /** Of the list; its entries are named by it and their place. */
  id: string
  /** None: there is no list. */
  fitting: readonly Command[]
  active: number
  point: (at: number) => void
  take: (command: Command) => void
  /** False where the key is none for the list. */
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
  // Once closed it stays so until a slash is typed again: what was typed can be sent as it is.
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
    // One that is typed out is sent, as everything is.
    else if (event.key === 'Enter' && text !== `/${chosen.name}`) take(chosen)
    else return false
    event.preventDefault()
    return true
  }
  return { id, fitting, active, point: setAt, take, takeKey }
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
