// The suite that every scanner passes, whatever it is written in. It is given a folder and makes sessions there from the fixtures.
import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SessionScanner } from '../../src/api/scanner.ts'

export interface ScannerSetting {
  scanner: SessionScanner
  /** The folder of a project, inside the store. */
  folder: string
}

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'sessions')
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

/** As an agent would name it. */
function idOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
}

export function scannerConformance(name: string, makeSetting: () => ScannerSetting): void {
  const open = (...fixtures: string[]): ScannerSetting & { paths: string[] } => {
    const setting = makeSetting()
    mkdirSync(setting.folder, { recursive: true })
    const paths = fixtures.map((fixture, index) => {
      const path = join(setting.folder, `${idOf(index)}.jsonl`)
      copyFileSync(join(FIXTURES, `${fixture}.jsonl`), path)
      utimesSync(path, LONG_AGO, LONG_AGO)
      return path
    })
    return { ...setting, paths }
  }

  describe(`${name} scans`, () => {
    test('a healthy file as healthy, with the depth of its chain', async () => {
      const { scanner, paths } = open('healthy')
      const [path = ''] = paths
      const result = await scanner.scan(path)
      expect(result).toMatchObject({ sessionId: idOf(0), filePath: path, status: 'healthy', orphanCount: 0 })
      expect(result.fileSize).toBe(readFileSync(path).length)
      expect(result.chainDepth).toBeGreaterThan(1)
      expect(result.messageCount).toBeGreaterThan(1)
    })

    test.each([
      ['corrupted-shallow', 1],
      ['corrupted-deep', 1],
    ])('%s as corrupted, with its orphan', async (fixture, orphanCount) => {
      const { scanner, paths } = open(fixture)
      expect(await scanner.scan(paths[0] ?? '')).toMatchObject({ status: 'corrupted', orphanCount })
    })

    test('several orphans, all counted', async () => {
      const { scanner, paths } = open('corrupted-multiple')
      const result = await scanner.scan(paths[0] ?? '')
      expect(result.status).toBe('corrupted')
      expect(result.orphanCount).toBeGreaterThan(1)
    })

    test('a break near the end as a shallow chain, and one far from it as a deep one', async () => {
      const { scanner, paths } = open('corrupted-shallow', 'corrupted-deep')
      const [shallow, deep] = await scanner.scanBatch(paths)
      expect(shallow?.chainDepth).toBe(2)
      expect(deep?.chainDepth).toBe(50)
    })

    test('a file that is not there as missing', async () => {
      const { scanner, folder } = open()
      expect((await scanner.scan(join(folder, 'gone.jsonl'))).status).toBe('missing')
    })

    test('a file with some lines that are no JSON as corrupted: the rest is there', async () => {
      const { scanner, paths } = open('malformed')
      const result = await scanner.scan(paths[0] ?? '')
      expect(result.status).toBe('corrupted')
      expect(result.messageCount).toBeGreaterThan(0)
    })

    test('an empty file, and one without any record, as unreadable', async () => {
      const { scanner, folder, paths } = open('empty')
      const garbage = join(folder, 'garbage.jsonl')
      writeFileSync(garbage, 'no\nsession\n')
      utimesSync(garbage, LONG_AGO, LONG_AGO)
      const results = await scanner.scanBatch([...paths, garbage])
      expect(results.map(({ status }) => status)).toEqual(['unreadable', 'unreadable'])
    })

    test('many at once in the order in which they were named', async () => {
      const { scanner, folder, paths } = open('healthy', 'corrupted-deep', 'malformed')
      const all = [paths[1] ?? '', join(folder, 'gone.jsonl'), paths[0] ?? '', paths[2] ?? '']
      const results = await scanner.scanBatch(all)
      expect(results.map(({ filePath }) => filePath)).toEqual(all)
      expect(results.map(({ status }) => status)).toEqual(['corrupted', 'missing', 'healthy', 'corrupted'])
    })

    test('without changing a byte', async () => {
      const { scanner, paths } = open('corrupted-multiple')
      const before = readFileSync(paths[0] ?? '')
      await scanner.scan(paths[0] ?? '')
      expect(readFileSync(paths[0] ?? '')).toEqual(before)
    })
  })

  describe(`${name} repairs`, () => {
    test.each(['corrupted-shallow', 'corrupted-deep', 'corrupted-multiple'])(
      '%s so that the chain reaches its root',
      async fixture => {
        const { scanner, paths } = open(fixture)
        const [path = ''] = paths
        const before = await scanner.scan(path)
        const original = readFileSync(path)
        const repaired = await scanner.repair(path)
        expect(repaired).toMatchObject({ status: 'repaired', orphansFixed: before.orphanCount })
        expect(readFileSync(repaired.backupPath ?? '')).toEqual(original)
        const after = await scanner.scan(path)
        expect(after).toMatchObject({ status: 'healthy', orphanCount: 0, messageCount: before.messageCount })
        expect(after.chainDepth).toBe(repaired.newChainDepth)
        expect(after.chainDepth).toBeGreaterThan(before.chainDepth)
      },
    )

    test('changing nothing but parents', async () => {
      const { scanner, paths } = open('corrupted-multiple')
      const [path = ''] = paths
      const records = () =>
        readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .map(line => ({ ...JSON.parse(line), parentUuid: 'any' }))
      const before = records()
      await scanner.repair(path)
      expect(records()).toEqual(before)
    })

    test('a healthy file without touching it, and a repaired one only once', async () => {
      const { scanner, paths } = open('healthy', 'corrupted-shallow')
      const [healthy = '', corrupted = ''] = paths
      const before = readFileSync(healthy)
      expect((await scanner.repair(healthy)).status).toBe('already_healthy')
      expect(readFileSync(healthy)).toEqual(before)
      await scanner.repair(corrupted)
      const once = readFileSync(corrupted)
      expect((await scanner.repair(corrupted)).status).toBe('already_healthy')
      expect(readFileSync(corrupted)).toEqual(once)
    })
  })
}
