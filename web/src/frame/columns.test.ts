import { expect, it } from 'vitest'
import { fitWidths } from './columns.ts'

it('the chosen widths hold where there is room for them', () => {
  const { list, health } = fitWidths({ list: 400, health: 350 }, 1600, true)
  expect([list.width, health.width]).toEqual([400, 350])
})

it('the conversation keeps its room, and the list gives way before the health panel', () => {
  const { list, health } = fitWidths({ list: 520, health: 560 }, 1200, true)
  expect(1200 - list.width - health.width).toBeGreaterThanOrEqual(400)
  expect(list.width).toBe(240)
})

it('no column is narrower than can be read, however small the window or the wish', () => {
  const { list, health } = fitWidths({ list: 1, health: 1 }, 640, true)
  expect([list.width, health.width]).toEqual([240, 280])
  expect(list.most).toBeGreaterThanOrEqual(list.least)
})

it('without the health panel the list may take its room', () => {
  expect(fitWidths({ list: 520, health: 320 }, 1000, false).list.width).toBe(520)
})
