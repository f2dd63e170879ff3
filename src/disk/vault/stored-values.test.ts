import { expect, test } from 'vitest'
import type { SqlValue } from '../../model/plan.ts'
import { storedColumnsSchema } from './stored-schemas.ts'
import { loadColumns, storeColumns } from './stored-values.ts'

test.each<[string, SqlValue]>([
  ['nothing', null],
  ['a number', 1.5],
  ['a whole number beyond 2^53', 9007199254740993n],
  ['infinity', Number.POSITIVE_INFINITY],
  ['minus infinity', Number.NEGATIVE_INFINITY],
  ['minus zero', -0],
  ['text with every kind of oddity', 'é\u0000\u2028\ud800"\\'],
  ['bytes', new Uint8Array([0, 255, 128])],
  ['no bytes', new Uint8Array()],
])('%s survives the way through JSON', (_, value) => {
  const json = JSON.stringify(storeColumns({ value }))
  expect(loadColumns(storedColumnsSchema.parse(JSON.parse(json)))).toStrictEqual({ value })
})
