import { expect, it } from 'vitest'
import { readAppEnvironment } from '../../../src/config/environment/app-environment.ts'

const SET = { APP_ID: '12', PRIVATE_KEY: 'a\\nb', WEBHOOK_SECRET: 'long-and-secret' }

it('the environment has defaults, and a key in one line gets its line breaks back', () => {
  expect(readAppEnvironment(SET)).toMatchObject({
    appId: 12,
    privateKey: 'a\nb',
    port: 3000,
    host: 'localhost',
  })
})

it('the environment is undefined while no App is registered, so that the set-up page can register one', () => {
  expect(readAppEnvironment({})).toBeUndefined()
})

it.each([
  [{}, 'APP_ID'],
  [{ ...SET, WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET'],
  [{ ...SET, WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET'],
])('production refuses an environment: %j lacks %s', (given, missing) => {
  expect(() => readAppEnvironment({ ...given, NODE_ENV: 'production' })).toThrow(missing)
})

it.each(['', 'development'])('an App on GitHub is refused with the secret %j', (WEBHOOK_SECRET) => {
  expect(() => readAppEnvironment({ ...SET, WEBHOOK_SECRET })).toThrow('WEBHOOK_SECRET')
  for (const url of ['https://127.0.0.1.example.org', 'https://github.example.org/api/v3', '127.0.0.1'])
    expect(() => readAppEnvironment({ ...SET, WEBHOOK_SECRET, GITHUB_API_URL: url })).toThrow(
      'WEBHOOK_SECRET',
    )
  for (const url of ['http://localhost:3001/api', 'http://127.0.0.1:3001', 'http://[::1]:3001'])
    expect(readAppEnvironment({ ...SET, WEBHOOK_SECRET, GITHUB_API_URL: url })?.secret).toBe('development')
})

it('knows the Redis that processes share, and refuses half an address', () => {
  const redis = { UPSTASH_REDIS_REST_URL: 'https://redis.test', UPSTASH_REDIS_REST_TOKEN: 'token' }
  expect(readAppEnvironment({ ...SET, ...redis })?.redis).toEqual({
    url: 'https://redis.test',
    token: 'token',
  })
  expect(readAppEnvironment(SET)).not.toHaveProperty('redis')
  expect(() => readAppEnvironment({ ...SET, UPSTASH_REDIS_REST_URL: 'https://redis.test' })).toThrow('TOKEN')
})
