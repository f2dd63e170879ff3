import { describe, expect, test } from 'vitest'
import type { FileGroup } from '../../catalog/find-files.ts'
import { COLUMNS } from '../../disk/files/file-columns.ts'
import { joinNames, type RowFile } from '../../disk/state/row-file.ts'
import { type Conditions, matchRows, NONE } from './match.ts'

const ALWAYS: Conditions = { isMet: () => true, isOutdated: undefined }

/** Different for each number. */
function identity(number: number): number[] {
  return Array.from({ length: COLUMNS }, (_, column) => number * 100 + column)
}

function groupOf(key: string, files: readonly (readonly [name: string, identity: number])[]): FileGroup {
  return {
    key,
    agent: 'agent',
    files: { type: 'files', folder: `/${key}`, names: files.map(([name]) => name), suffix: '', generation: 'store' },
    identities: Float64Array.from(files.flatMap(([, number]) => identity(number))),
    find: () => {
      throw new Error('not asked for')
    },
  }
}

/** Rows of these groups. Those that are not among the printed ones are not kept. */
function fileOf(groups: readonly FileGroup[], printed: readonly number[]): RowFile {
  const rows = groups.reduce((sum, { files }) => sum + files.names.length, 0)
  return {
    maker: '',
    mark: '',
    groups: groups.map(({ key, files: { names } }) => ({ key, count: names.length, names: joinNames(names) })),
    conditions: ['even', 'odd'],
    identities: Float64Array.from(groups.flatMap(({ identities }) => [...identities])),
    times: new Float64Array(rows),
    orders: [],
    conditionOf: Uint32Array.from({ length: rows }, (_, row) => row % 2),
    bytes: new Float64Array(rows),
    kinds: new Uint32Array(rows),
    counts: new Uint32Array(rows),
    printed: Uint32Array.from(printed),
    ends: new Uint32Array(printed.length),
  }
}

const first = groupOf('first', [
  ['a', 1],
  ['b', 2],
  ['c', 3],
])
const second = groupOf('second', [
  ['a', 4],
  ['d', 5],
])
const file = fileOf([first, second], [4, 0, 1, 2, 3])

function match(groups: readonly FileGroup[], conditions = ALWAYS, rows = file) {
  const { isKnown, rowOf, missing } = matchRows(rows, groups, conditions)
  return {
    known: [...isKnown],
    rowOf: rowOf.map(own => [...own]),
    missing: missing.map(({ group, place }) => `${group.key} ${group.files.names[place]}`),
  }
}

describe('rows', () => {
  test('of the same files are known, in whatever order their folders are found', () => {
    expect(match([first, second])).toEqual({
      known: [1, 1, 1, 1, 1],
      rowOf: [
        [0, 1, 2],
        [3, 4],
      ],
      missing: [],
    })
    expect(match([second, first])).toEqual({
      known: [1, 1, 1, 1, 1],
      rowOf: [
        [3, 4],
        [0, 1, 2],
      ],
      missing: [],
    })
  })

  test('of a folder that is gone are not known', () => {
    expect(match([second])).toEqual({ known: [0, 0, 0, 1, 1], rowOf: [[3, 4]], missing: [] })
  })

  test.each(Array.from({ length: COLUMNS }, (_, column) => column))(
    'of a file with another number %i is not known',
    column => {
      const changed = { ...first, identities: Float64Array.from(first.identities) }
      changed.identities[COLUMNS + column] = 9999
      expect(match([changed, second])).toEqual({
        known: [1, 0, 1, 1, 1],
        rowOf: [
          [0, NONE, 2],
          [3, 4],
        ],
        missing: ['first b'],
      })
    },
  )

  test('belong to a name: a file that has another one now is looked at, however much it is the same file', () => {
    const renamed = groupOf('first', [
      ['a', 1],
      ['bb', 2],
      ['c', 3],
    ])
    expect(match([renamed, second])).toEqual({
      known: [1, 0, 1, 1, 1],
      rowOf: [
        [0, NONE, 2],
        [3, 4],
      ],
      missing: ['first bb'],
    })
  })

  test('belong to a folder: its files with the same names in another one are looked at', () => {
    const moved = { ...first, key: 'third' }
    expect(match([moved]).missing).toEqual(['third a', 'third b', 'third c'])
  })

  test('of files that were added or removed leave the others known', () => {
    const grown = groupOf('first', [
      ['A', 7],
      ['a', 1],
      ['c', 3],
      ['d', 8],
    ])
    expect(match([grown, second])).toEqual({
      known: [1, 0, 1, 1, 1],
      rowOf: [
        [NONE, 0, 2, NONE],
        [3, 4],
      ],
      missing: ['first A', 'first d'],
    })
  })

  test('that were not printed are not known, and what is not a regular file is not looked at here', () => {
    const odd = { ...first, identities: Float64Array.from(first.identities) }
    odd.identities[COLUMNS] = Number.NaN
    const rows = fileOf([odd, second], [0, 2, 4])
    expect(match([odd, second], ALWAYS, rows)).toEqual({
      known: [1, 0, 1, 0, 1],
      rowOf: [
        [0, NONE, 2],
        [NONE, 4],
      ],
      missing: ['second a'],
    })
  })

  test('whose condition is not met, or that are out of date, are not known', () => {
    expect(match([first, second], { ...ALWAYS, isMet: condition => condition === 'even' }).known).toEqual([
      1, 0, 1, 0, 1,
    ])
    const isOutdated = ({ key }: FileGroup, place: number): boolean => key === 'second' && place === 0
    expect(match([first, second], { ...ALWAYS, isOutdated })).toMatchObject({
      known: [1, 1, 1, 0, 1],
      missing: ['second a'],
    })
  })

  test('are unknown without a file', () => {
    expect(matchRows(undefined, [first], ALWAYS).missing).toHaveLength(3)
  })
})
