import { describe, expect, it } from 'vitest'
import { applySplices, type Edit } from '../../../src/agents/offline/edits/edit.ts'
import { wrapExpression } from '../../../src/agents/offline/edits/expressions.ts'
import { tuneNumber, tuneNumbers } from '../../../src/agents/offline/edits/numbers.ts'
import { changeOperator } from '../../../src/agents/offline/edits/operators.ts'
import {
  dropStatement,
  duplicateStatement,
  moveStatement,
  swapStatements,
} from '../../../src/agents/offline/edits/statements.ts'
import { readSource } from '../../../src/agents/offline/source/read-source.ts'
import { rngFor } from '../../../src/core/rng.ts'

/** Every text that an edit makes of a source in 300 draws. */
async function outcomes(edit: Edit, path: string, text: string): Promise<Set<string>> {
  const source = await readSource(path, text)
  const results = new Set<string>()
  for (let seed = 0; seed < 300; seed++) {
    const proposal = edit.propose(source, rngFor(seed, 0, 'test'))
    if (proposal !== undefined) results.add(applySplices(text, proposal.splices))
  }
  return results
}

describe('tune-number', () => {
  it('moves a literal to another one of the same form', async () => {
    for (const result of await outcomes(tuneNumber, 'a.py', 'size = 12\n'))
      expect(result).toMatch(/^size = -?\d+\n$/)
    for (const result of await outcomes(tuneNumber, 'a.rs', 'const A: f64 = 0.5;\n'))
      expect(result).toMatch(/^const A: f64 = -?(\d+\.\d+|\d+(\.\d+)?e-\d+);\n$/)
  })

  it('works at several scales', async () => {
    const results = await outcomes(tuneNumber, 'a.js', 'const a = 200\n')
    const values = [...results].map((text) => Number(text.slice('const a = '.length)))
    expect(values).toEqual(expect.arrayContaining([100, 199, 400, 2000, -200]))
  })

  it('leaves hexadecimal literals and numbers in strings alone', async () => {
    expect(await outcomes(tuneNumber, 'a.js', "const a = 0xff; const b = '12'\n")).toEqual(new Set())
  })
})

describe('tune-numbers', () => {
  it('moves several neighbours at once', async () => {
    const results = await outcomes(tuneNumbers, 'a.go', 'package a\nvar a, b = 200, 300\n')
    for (const result of results) expect(result).not.toMatch(/= 200, |, 300$/)
    expect(results.size).toBeGreaterThan(10)
  })
})

describe('change-operator', () => {
  it.each([
    ['a.js', 'x = a + b\n', ['x = a - b\n', 'x = a * b\n']],
    ['a.py', 'x = a < b and c\n', ['x = a <= b and c\n', 'x = a > b and c\n', 'x = a < b or c\n']],
    ['a.rb', 'x += 1\n', ['x -= 1\n', 'x *= 1\n']],
    [
      'a.java',
      'class A { int a = b * c; }\n',
      ['class A { int a = b / c; }\n', 'class A { int a = b + c; }\n'],
    ],
    ['a.lua', 'x = a ~= b\n', ['x = a == b\n']],
  ])('finds the operators of %s', async (path, text, expected) => {
    expect([...(await outcomes(changeOperator, path, text))].sort()).toEqual(expected.sort())
  })

  it('takes angle brackets of types for what they are', async () => {
    expect(await outcomes(changeOperator, 'a.ts', 'let a: Map<string, number>\n')).toEqual(new Set())
  })
})

describe('wrap-expression', () => {
  it('scales or shifts an operand', async () => {
    const results = await outcomes(wrapExpression, 'a.js', 'y = a.b * 2\n')
    expect(results).toContain('y = (a.b * 1.1) * 2\n')
    expect(results).toContain('y = (a.b + 0.01) * 2\n')
  })

  it('brackets what would bind looser than the new operator', async () => {
    expect(await outcomes(wrapExpression, 'a.js', 'y = (a - b) / 2\n')).toContain('y = ((a - b) * 1.1) / 2\n')
    expect(await outcomes(wrapExpression, 'a.js', 'y = a - b / 2\n')).toContain('y = a - ((b / 2) * 1.1)\n')
  })

  it('uses integers where integers and floats do not mix', async () => {
    for (const result of await outcomes(wrapExpression, 'a.go', 'package a\nvar a = b * c\n'))
      expect(result).not.toMatch(/\d\.\d/)
  })

  it('leaves joined strings alone', async () => {
    expect(await outcomes(wrapExpression, 'a.js', "y = 'a' + b\n")).toEqual(new Set())
  })
})

describe('statement edits', () => {
  it('swaps neighbours with their comments and indentation', async () => {
    const text = 'def f():\n    a()  # one\n    b()\n    return 1\n'
    expect(await outcomes(swapStatements, 'a.py', text)).toEqual(
      new Set(['def f():\n    b()\n    a()  # one\n    return 1\n']),
    )
  })

  it('repeats a statement unchanged or with another number', async () => {
    const results = await outcomes(duplicateStatement, 'a.rs', 'fn f() {\n    let x = 1;\n    g(8);\n}\n')
    expect(results).toContain('fn f() {\n    let x = 1;\n    g(8);\n    g(8);\n}\n')
    expect(results).toContain('fn f() {\n    let x = 1;\n    g(8);\n    g(16);\n}\n')
    for (const result of results) expect(result.match(/let x/g)).toHaveLength(1)
  })

  it('drops a statement but no declaration and no last return', async () => {
    const text = 'function f() {\n  const a = 1\n  if (a) g()\n  return a\n}\n'
    expect(await outcomes(dropStatement, 'a.js', text)).toEqual(
      new Set(['function f() {\n  const a = 1\n  return a\n}\n']),
    )
  })

  it('drops no statement that is alone in its block', async () => {
    expect(await outcomes(dropStatement, 'a.py', 'if a:\n    b()\n')).toEqual(new Set())
  })

  it('moves a statement over more than one sibling', async () => {
    const results = await outcomes(moveStatement, 'a.php', '<?php\na();\nb();\nc();\n')
    expect([...results].sort()).toEqual(
      ['<?php\nb();\na();\nc();\n', '<?php\nc();\na();\nb();\n', '<?php\na();\nc();\nb();\n'].sort(),
    )
  })

  it('keeps line ends and a missing final newline', async () => {
    expect(await outcomes(dropStatement, 'a.js', 'a()\r\nb()')).toEqual(new Set(['a()', 'b()']))
    expect(await outcomes(duplicateStatement, 'a.js', 'a()\r\nb()')).toEqual(
      new Set(['a()\r\na()\r\nb()', 'a()\r\nb()\r\nb()']),
    )
    expect(await outcomes(swapStatements, 'a.js', 'a()\r\nb()')).toEqual(new Set(['b()\r\na()']))
  })

  it('takes lines of one indentation as statements where no grammar exists', async () => {
    const text = 'if a then\n  b = 1\n  c = 2\nend\n'
    expect(await outcomes(swapStatements, 'a.lua', text)).toEqual(
      new Set(['if a then\n  c = 2\n  b = 1\nend\n']),
    )
  })
})
