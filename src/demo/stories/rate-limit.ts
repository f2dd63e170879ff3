// Too many requests.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, passing, shell, total, work, yellow } from '../story.ts'

const CASES = [
  { project: 'api', route: '/search', limit: 60, who: 'one scraper', keyed: 'API key' },
  { project: 'shop', route: '/login', limit: 10, who: 'somebody with a list of passwords', keyed: 'address' },
  { project: 'storefront', route: '/coupons', limit: 5, who: 'people who guess coupons', keyed: 'session' },
  { project: 'infra', route: '/metrics', limit: 120, who: 'two dashboards of our own', keyed: 'token' },
]

export const rateLimit: Story[] = CASES.map(({ project, route, limit, who, keyed }) => ({
  title: `Limit requests to ${route}`,
  project,
  turns: [
    ask(
      `${route} gets hammered by ${who}. ${limit} a minute for each ${keyed} is plenty. We run four instances behind a balancer.`,
    ),
    work(
      {
        thinking:
          'Four instances, so counters in memory would allow four times as much. Redis is there already for sessions. A token bucket in one Lua script keeps it atomic; a fixed window lets through twice the limit at the edge.',
        text: 'How bad is it at the moment?',
      },
      shell(`kubectl logs deploy/app --since=10m | grep -c '${route}'`, '48211'),
      shell(
        `kubectl logs deploy/app --since=10m | awk '/${route.slice(1)}/ {print $3}' | sort | uniq -c | sort -rn | head -2`,
        `  47809 ${yellow('203.0.113.40')}`,
        '     61 198.51.100.7',
      ),
    ),
    work(
      {},
      edit(
        'src/limits/bucket.ts',
        [''],
        [
          '/** Refilled evenly, so that nobody gets twice the limit around a full minute. */',
          `export async function take(key: string, perMinute = ${limit}): Promise<Taken> {`,
          '  const [isAllowed, waitMs] = await redis.evalsha(SCRIPT, 1, key, perMinute, Date.now())',
          '  return { isAllowed: isAllowed === 1, waitMs }',
          '}',
        ],
      ),
      edit(
        'src/routes/index.ts',
        [`app.get('${route}', handler)`],
        [`app.get('${route}', limitBy('${keyed}', ${limit}), handler)`],
      ),
    ),
    work({}, shell('npm test -- src/limits', passing('src/limits/bucket.test.ts', 11, 402), '', total(11))),
    answer(
      `\`${route}\` allows ${limit} a minute for each ${keyed}, counted in one place for all four instances. Whoever is over gets:`,
      code('http', 'HTTP/1.1 429 Too Many Requests', 'Retry-After: 7', 'Content-Type: application/problem+json'),
      'If Redis cannot be reached, requests pass: a search that is down because of its limiter would be worse than the scraper.',
    ),
    ask('Agreed. Log when that happens, please.'),
    work(
      {},
      edit(
        'src/limits/bucket.ts',
        ['  } catch {'],
        ['  } catch (error) {', "    log.warn({ error }, 'the limiter could not be reached; letting requests pass')"],
      ),
    ),
    answer('It warns now, at most once a minute.'),
  ],
}))
