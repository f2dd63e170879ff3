// No access leaves the folders of a session, whatever is in them, and whatever is replaced meanwhile.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { put, temporaryHome } from '../../../test/support/home.ts'
import { hasErrorCode, RethreadError } from '../../model/errors.ts'
import { readRange } from './handles.ts'
import { requireSessionFolder, withSessionFile, writeSessionFile } from './session-folder.ts'
import { type Files, injectFiles, nodeFiles } from './system-calls.ts'

interface Stage {
  outside: string
  folder: string
  read(path: string): Promise<string>
  write(path: string, content?: string): Promise<void>
}

function makeStage(): Stage {
  const home = temporaryHome()
  const [folder, outside] = [join(home, 'shop'), join(home, 'outside')]
  mkdirSync(folder)
  put(outside, 'a.txt', 'a secret')
  return {
    outside,
    folder,
    read: path => withSessionFile(path, [folder], (handle, size) => readRange(handle, 0, size).toString()),
    write: async (path, content = 'new') => writeSessionFile(path, [folder], Buffer.from(content)),
  }
}

async function codeOf(done: Promise<unknown>): Promise<string> {
  try {
    await done
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    expect(error.path).toBeDefined()
    expect(error.hint).not.toBe('')
    return error.code
  }
  return 'no error'
}

/** Both ways, which must be refused alike and leave the secret alone. */
async function refusals(stage: Stage, path: string): Promise<string[]> {
  const codes = [await codeOf(stage.read(path)), await codeOf(stage.write(path))]
  expect(readdirSync(stage.outside)).toEqual(['a.txt'])
  expect(readFileSync(join(stage.outside, 'a.txt'), 'utf8')).toBe('a secret')
  expect(readdirSync(stage.folder).filter(name => name.startsWith('.rethread'))).toEqual([])
  return codes
}

/** Once, right behind the first call that names `path`. */
function exchangeAfter(call: 'realpath' | 'lstat', path: RegExp, exchange: () => void): void {
  let isDone = false
  const wrapped: Files = {
    ...nodeFiles,
    [call]: (asked: string) => {
      const result = nodeFiles[call](asked)
      if (!isDone && path.test(asked)) {
        isDone = true
        exchange()
      }
      return result
    },
  }
  onTestFinished(injectFiles(wrapped))
}

describe('a path that leads out', () => {
  test('is refused however it is written', async () => {
    const stage = makeStage()
    const { folder, outside } = stage
    put(folder, 'sub/b.txt', 'mine')
    const paths = [join(outside, 'a.txt'), join(outside, 'not/there'), '/', `${folder}-else/a.txt`]
    for (const path of paths) expect(await refusals(stage, path)).toEqual(['outside-store', 'outside-store'])
    const written = [
      `${folder}/../outside/a.txt`,
      `${folder}/sub/../../outside/a.txt`,
      'a.txt',
      '',
      `${folder}/a\0.txt`,
    ]
    for (const path of written) expect(await refusals(stage, path)).toEqual(['usage', 'usage'])
  })

  test('is refused when a link leads there: to a file, a folder, through another link, or to nothing yet', async () => {
    const stage = makeStage()
    const { folder, outside } = stage
    symlinkSync(join(outside, 'a.txt'), join(folder, 'file'))
    symlinkSync('../outside', join(folder, 'up'))
    symlinkSync('up', join(folder, 'again'))
    symlinkSync(join(outside, 'new.txt'), join(folder, 'dead'))
    for (const name of ['file', 'file/', 'up/a.txt', 'again/a.txt', 'again/new/b.txt', 'dead', 'dead/', 'dead/b.txt'])
      for (const code of await refusals(stage, `${folder}/${name}`)) expect(code, name).toBe('outside-store')
    expect(lstatSync(join(folder, 'dead')).isSymbolicLink()).toBe(true)
  })

  test('is refused when the link is put there in the middle of it', async () => {
    const cases: [call: 'realpath' | 'lstat', at: RegExp][] = [
      ['realpath', /mid\/sub\/a\.txt$/],
      ['lstat', /mid\/sub\/a\.txt$/],
    ]
    for (const [call, at] of cases)
      for (const way of ['read', 'write'] as const) {
        const stage = makeStage()
        const { folder } = stage
        put(folder, 'mid/sub/a.txt', 'mine')
        const elsewhere = join(temporaryHome(), 'mid')
        put(elsewhere, 'sub/a.txt', 'a secret')
        exchangeAfter(call, at, () => {
          renameSync(join(folder, 'mid'), join(folder, 'moved'))
          symlinkSync(elsewhere, join(folder, 'mid'))
        })
        expect(await codeOf(stage[way](join(folder, 'mid/sub/a.txt')))).toBe('outside-store')
        expect(readFileSync(join(elsewhere, 'sub/a.txt'), 'utf8')).toBe('a secret')
        expect(readdirSync(join(elsewhere, 'sub'))).toEqual(['a.txt'])
      }
  })

  test.skipIf(process.platform !== 'linux')('is not taken by a folder that is exchanged once it is open', async () => {
    const { folder, outside, write } = makeStage()
    put(folder, 'sub/a.txt', 'mine')
    exchangeAfter('lstat', /^\/proc\/self\/fd\/\d+\/a\.txt$/, () => {
      renameSync(join(folder, 'sub'), join(folder, 'moved'))
      symlinkSync(outside, join(folder, 'sub'))
    })
    await write(join(folder, 'sub/a.txt'))
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('a secret')
    expect(readFileSync(join(folder, 'moved/a.txt'), 'utf8')).toBe('new')
  })

  test('is refused when the file itself becomes a link', async () => {
    const stage = makeStage()
    const path = put(stage.folder, 'a.txt', 'mine')
    const becomesLink = () => {
      rmSync(path)
      symlinkSync(join(stage.outside, 'a.txt'), path)
    }
    exchangeAfter('lstat', /a\.txt$/, becomesLink)
    expect(await codeOf(stage.read(path))).toBe('not-a-regular-file')
    rmSync(path)
    writeFileSync(path, 'mine')
    exchangeAfter('lstat', /a\.txt$/, becomesLink)
    expect(await codeOf(stage.write(path))).toBe('not-a-regular-file')
    expect(readFileSync(join(stage.outside, 'a.txt'), 'utf8')).toBe('a secret')
  })
})

describe('what is not a regular file', () => {
  test('is refused without waiting for anybody', async () => {
    const stage = makeStage()
    const { folder } = stage
    mkdirSync(join(folder, 'sub'))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    const server = createServer().listen(join(folder, 'socket'))
    await new Promise(resolve => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    expect(await refusals(stage, join(folder, 'pipe'))).toEqual(['not-a-regular-file', 'not-a-regular-file'])
    expect(await refusals(stage, join(folder, 'socket'))).toEqual(['not-a-regular-file', 'not-a-regular-file'])
    for (const path of [folder, join(folder, 'sub')])
      expect(await refusals(stage, path)).toEqual(['is-a-directory', 'is-a-directory'])
    const device = withSessionFile('/dev/null', ['/dev'], () => 'read')
    expect(await codeOf(device)).toBe('not-a-regular-file')
  })

  test('is refused though it takes the place of a file in the middle of it', async () => {
    const { folder, read } = makeStage()
    const path = put(folder, 'a.txt', 'mine')
    exchangeAfter('lstat', /a\.txt$/, () => {
      rmSync(path)
      execFileSync('mkfifo', [path])
    })
    expect(await codeOf(read(path))).toBe('not-a-regular-file')
  })

  test('has no files in it, and what is not there is not found', async () => {
    const stage = makeStage()
    const path = put(stage.folder, 'a.txt', 'mine')
    expect(await refusals(stage, join(path, 'b.txt'))).toEqual(['not-found', 'not-found'])
    expect(await codeOf(stage.read(join(stage.folder, 'gone')))).toBe('not-found')
  })
})

describe('inside', () => {
  test('links are followed, and stay links', async () => {
    const { folder, read, write } = makeStage()
    put(folder, 'real/a.txt', 'old')
    symlinkSync('real/a.txt', join(folder, 'link'))
    symlinkSync('real', join(folder, 'sub'))
    expect(await read(join(folder, 'link'))).toBe('old')
    await write(join(folder, 'link'), 'one')
    await write(join(folder, 'sub/b.txt'), 'two')
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect([
      readFileSync(join(folder, 'real/a.txt'), 'utf8'),
      readFileSync(join(folder, 'real/b.txt'), 'utf8'),
    ]).toEqual(['one', 'two'])
  })

  test('the folder may be a link itself, one of several, and not there', async () => {
    const { folder, outside } = makeStage()
    const link = join(outside, '../link')
    symlinkSync(folder, link)
    const folders = [join(outside, 'gone'), link]
    for (const path of [join(link, 'a.txt'), join(folder, 'b.txt')]) {
      writeSessionFile(path, folders, Buffer.from('new'))
      expect(readFileSync(path, 'utf8')).toBe('new')
    }
    const none = async () => writeSessionFile(join(outside, 'gone/a.txt'), [join(outside, 'gone')], Buffer.from('new'))
    expect(await codeOf(none())).toBe('outside-store')
  })

  test('a file keeps its mode; a new one and its folders get those of the person', async () => {
    const { folder, write } = makeStage()
    const script = put(folder, 'run.sh', 'old')
    chmodSync(script, 0o754)
    await write(script)
    expect([statSync(script).mode & 0o7777, readFileSync(script, 'utf8')]).toEqual([0o754, 'new'])
    const path = join(folder, 'new/deep/a.txt')
    await write(path)
    put(folder, 'as-usual/a.txt', '')
    for (const name of ['', 'a.txt'])
      expect(statSync(join(folder, 'new/deep', name)).mode).toBe(statSync(join(folder, 'as-usual', name)).mode)
  })

  test('a file that is protected is not replaced, and a failure leaves the old one and nothing else', async () => {
    const { folder, write } = makeStage()
    const path = put(folder, 'a.txt', 'old')
    chmodSync(path, 0o444)
    expect(await codeOf(write(path))).toBe('permission-denied')
    chmodSync(path, 0o644)
    const full = () => {
      throw Object.assign(new Error('injected'), { code: 'ENOSPC' })
    }
    for (const call of ['write', 'sync', 'rename'] as const) {
      const lift = injectFiles({ ...nodeFiles, [call]: full })
      expect(await codeOf(write(path))).toBe('no-space')
      lift()
      expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['a.txt'], 'old'])
    }
  })

  test('no descriptor stays open, whatever is refused', async () => {
    const { folder, outside, read, write } = makeStage()
    const open = () => readdirSync('/proc/self/fd').length
    symlinkSync(outside, join(folder, 'out'))
    const before = process.platform === 'linux' ? open() : 0
    for (let n = 0; n < 10; n++)
      for (const name of ['a.txt', 'out/a.txt', `deep${n}/er/a.txt`, '', 'gone/a'])
        await Promise.allSettled([write(join(folder, name)), read(join(folder, name))])
    if (process.platform === 'linux') expect(open()).toBe(before)
    expect(existsSync(join(folder, 'deep9/er/a.txt'))).toBe(true)
  })
})

test('a folder to work in is one, and inside', () => {
  const { folder, outside } = makeStage()
  put(folder, 'sub/a.txt', '')
  expect(requireSessionFolder(join(folder, 'sub'), [folder])).toBe(join(folder, 'sub'))
  for (const [path, code] of [
    [outside, 'outside-store'],
    [join(folder, 'sub/a.txt'), 'usage'],
    [join(folder, 'gone'), 'not-found'],
  ] as const)
    expect(() => requireSessionFolder(path, [folder])).toThrow(
      expect.toSatisfy((error: unknown) => hasErrorCode(error, code)),
    )
})
