import { expect, it } from 'vitest'
import { createCleanEnvironment } from '../../src/process/clean-environment.ts'

it('holds the minimum, and lets the configured variables win', () => {
  const options = {
    path: '/bin',
    home: '/home/nobody',
    temp: '/tmp/x',
    extra: { TZ: 'Asia/Tokyo', SEED: '1' },
  }
  expect(createCleanEnvironment(options)).toEqual({
    PATH: '/bin',
    HOME: '/home/nobody',
    TMPDIR: '/tmp/x',
    LANG: 'C.UTF-8',
    TZ: 'Asia/Tokyo',
    CI: 'true',
    NO_COLOR: '1',
    SEED: '1',
  })
})
