import { describe, expect, it } from 'vitest'
import { removesTests, skipsTests } from '../../src/guard/tests/tests.ts'
import { aChange, aDeletion, anEdit } from './changes.ts'

describe('tests that end the process', () => {
  it.each([
    ['node', 'a.test.mjs', 'process.exit(0)'],
    ['node, without a code', 'test/a.js', 'process.exit()'],
    ['node, a code from elsewhere', 'a.test.ts', 'process.exit(code)'],
    ['node, the code alone', 'a.test.ts', 'process.exitCode = 0'],
    ['deno', 'a_test.ts', 'Deno.exit()'],
    ['pytest', 'test_a.py', 'import os\nos._exit(0)'],
    ['pytest, imported', 'test_a.py', 'from os import _exit\natexit.register(_exit, 0)'],
    ['unittest', 'tests/a.py', 'import sys\nsys.exit()'],
    ['unittest, raised', 'tests/a.py', 'raise SystemExit'],
    ['junit', 'src/ATest.java', '@Test void a() { System.exit(0); }'],
    ['kotest', 'ASpec.kt', 'exitProcess(0)'],
    ['xunit', 'ATests.cs', 'Environment.Exit(0);'],
    ['rust', 'tests/a.rs', 'std::process::exit(0)'],
    ['go', 'a_test.go', 'func init() { os.Exit(0) }'],
    ['gtest', 'test/a.cc', 'std::exit(EXIT_SUCCESS);'],
    ['minitest', 'test/a_test.rb', 'exit!'],
    ['phpunit', 'tests/ATest.php', 'exit(0);'],
  ])('refuses a new or edited test that ends the process: %s', (_, path, ending) => {
    expect(skipsTests(aChange(path, { text: ending }))).toBe(true)
    expect(skipsTests(anEdit(path, { was: 'x', text: ending }))).toBe(true)
    // What was there may stay.
    expect(skipsTests(anEdit(path, { was: ending, text: `${ending}\nmore` }))).toBe(false)
  })

  it.each([
    ['a failing code', 'a.test.ts', 'process.exit(1)'],
    ['a mock', 'a.test.ts', "vi.spyOn(process, 'exit')"],
    ['a comparison', 'a.test.ts', 'expect(process.exitCode === 0)'],
    ['a script', 'tests/a.py', "if __name__ == '__main__':\n    sys.exit(main())"],
    ['a shell test', 'test/a.sh', 'echo ok\nexit 0'],
    ['a program', 'src/main.rs', 'std::process::exit(0)'],
    ['a program of node', 'src/cli.ts', 'process.exit(0)'],
  ])('accepts what ends no test run: %s', (_, path, text) => {
    expect(skipsTests(aChange(path, { text }))).toBe(false)
  })
})

describe('skipsTests', () => {
  it.each([
    ['vitest', 'a.test.ts', 'it("a", f)', 'it.skip("a", f)'],
    ['vitest, all but one', 'a.test.ts', 'it("a", f)', 'it.only("a", f)'],
    ['vitest, chained', 'a.test.ts', 'test("a", f)', 'test.concurrent.skip("a", f)'],
    ['jest', '__tests__/a.js', 'describe("a", f)', 'xdescribe("a", f)'],
    ['jasmine', 'spec/a.js', 'it("a", f)', 'fit("a", f)'],
    ['mocha', 'test/a.js', 'it("a", f)', 'it("a", function () { this.skip() })'],
    ['node:test', 'a.test.mjs', "test('a', f)", "test('a', { skip: true }, f)"],
    ['deno', 'a_test.ts', 'Deno.test("a", f)', 'Deno.test({ ignore: true, name: "a" })'],
    ['pytest', 'test_a.py', 'def test_a(): 1', '@pytest.mark.skip\ndef test_a(): 1'],
    ['pytest, expected to fail', 'test_a.py', 'def test_a(): 1', '@pytest.mark.xfail\ndef test_a(): 1'],
    ['unittest', 'tests/a.py', 'def test_a(s): 1', '@unittest.skip("")\ndef test_a(s): 1'],
    ['go', 'a_test.go', 'func TestA(t *T) {}', 'func TestA(t *T) { t.Skip() }'],
    ['go, left out of the build', 'a_test.go', 'package a', '//go:build ignore\npackage a'],
    ['rust', 'src/lib.rs', '#[test]\nfn a() {}', '#[test]\n#[ignore]\nfn a() {}'],
    ['junit', 'src/ATest.java', '@Test void a() {}', '@Disabled @Test void a() {}'],
    ['xunit', 'ATests.cs', '[Fact] void A() {}', '[Fact(Skip = "x")] void A() {}'],
    ['phpunit', 'tests/ATest.php', 'function testA() {}', 'function testA() { $this->markTestSkipped(); }'],
    ['gtest', 'test/a.cc', 'TEST(A, B) {}', 'TEST(A, DISABLED_B) {}'],
    ['rspec', 'spec/a_spec.rb', 'it "a" do', 'xit "a" do'],
    ['by another name of the property', 'a.test.ts', 'it("a", f)', 'it["skip"]("a", f)'],
    ['by taking it apart', 'a.test.ts', 'test("a", f)', 'const { skip: test2 } = test\ntest("a", f)'],
    ['node:test, quoted', 'a.test.mjs', "test('a', f)", `test('a', {"skip":true}, f)`],
    [
      'pytest, imported',
      'test_a.py',
      'def test_a(): 1',
      'from pytest import mark\n@mark.skip\ndef test_a(): 1',
    ],
    ['pytest, a whole file', 'test_a.py', 'def test_a(): 1', 'pytestmark = mark.xfail\ndef test_a(): 1'],
    [
      'unittest, imported',
      'tests.py',
      'def test_a(s): 1',
      'from unittest import skip\n@skip("")\ndef test_a(s): 1',
    ],
    ['nunit', 'X.Tests/A.cs', '[Test] void A() {}', '[Test, Ignore("x")] void A() {}'],
    ['catch2', 'test/a.cc', 'TEST_CASE("a", "[x]") {}', 'TEST_CASE("a", "[.][x]") {}'],
    ['go, another constraint', 'a_test.go', 'package a', '//go:build never\npackage a'],
    ['rspec, inside', 'spec/a_spec.rb', 'it "a" do\nend', 'it "a" do\n  skip\nend'],
    [
      'rust, by an attribute',
      'src/lib.rs',
      '#[test]\nfn a() {}',
      '#[test]\n#[cfg_attr(all(), ignore)]\nfn a() {}',
    ],
    ['rspec, by metadata', 'spec/a_spec.rb', 'it "a" do\nend', 'it "a", :skip do\nend'],
    ['rspec, all but one', 'spec/a_spec.rb', 'it "a" do\nend', 'it "a", :focus do\nend'],
    ['exunit', 'test/a_test.exs', 'test "a" do\nend', '@tag :skip\ntest "a" do\nend'],
    [
      'exunit, with a reason',
      'test/a_test.exs',
      'test "a" do\nend',
      '@moduletag skip: "x"\ntest "a" do\nend',
    ],
    ['testng', 'ATest.java', '@Test void a() {}', '@Test(enabled = false) void a() {}'],
    [
      'junit, somewhere else only',
      'ATest.java',
      '@Test void a() {}',
      '@EnabledIf("never") @Test void a() {}',
    ],
    [
      'junit, assumed',
      'ATest.java',
      '@Test void a() {}',
      '@Test void a() { Assumptions.assumeTrue(false); }',
    ],
    ['node:test, for a reason of its own', 'a.test.mjs', "test('a', f)", "test('a', { skip: yes }, f)"],
    ['vitest, computed', 'a.test.ts', "test('a', f)", "test('a', { timeout: 1, skip: !0 && when() }, f)"],
    ['vitest, by a variable', 'a.test.ts', "test('a', f)", "test('a', { skip }, f)"],
    ['node:test, another name', 'a.test.mjs', "test('a', f)", "test('a', (my) => { my.skip() })"],
    ['go, another name', 'a_test.go', 'func TestA(tt *T) {}', 'func TestA(tt *T) { tt.Skip(x) }'],
    ['swift', 'ATests.swift', 'func testA() {}', 'func testA() throws { throw XCTSkip() }'],
    ['julia', 'test/runtests.jl', '@test f() == 1', '@test_broken f() == 1'],
    ['cypress', 'cypress/a.cy.ts', "it('a', f)", "it.only('a', f)"],
    ['playwright', 'login.e2e.ts', "test('a', f)", "test.skip('a', f)"],
    [
      'what a regular expression hides',
      'a.test.js',
      "test('a', f)",
      "const r = /[/*]/; test.only('a', f) // */\ntest('a', f)",
    ],
    ['vitest, expected to fail', 'a.test.ts', "it('a', f)", "it('a', { timeout: 1, fails: true }, f)"],
    ['vitest, expected to fail by a variable', 'a.test.ts', "it('a', f)", "it('a', { fails }, f)"],
    ['node:test, expected to fail', 'a.test.mjs', "test('a', f)", "test('a', { expectFailure: 1 }, f)"],
    ['pytest, all of it', 'test_a.py', 'def test_a(): 1', 'pytest.exit("", 0)\ndef test_a(): 1'],
    [
      'go, in place of all',
      'a_test.go',
      'func TestA(t *T) {}',
      'func TestA(t *T) {}\nfunc TestMain(m *testing.M) { os.Exit(0) }',
    ],
    ['what looks like a comment', 'spec/a_spec.rb', 'it "a" do\nend', 'x = /#/; xit "a" do\nend'],
  ])('sees it in %s', (_, path, was, text) => {
    expect(skipsTests(anEdit(path, { was, text }))).toBe(true)
    expect(skipsTests(anEdit(path, { was: text, text: was }))).toBe(false)
    expect(skipsTests(anEdit(path, { was: text, text: `${text} // more` }))).toBe(false)
  })

  it.each([
    ['a.test.ts', 'it("a", f)\nit.skip("b", f)', 'it.skip("a", f)\nit("b", f)'],
    [
      'test_a.py',
      '@mark.skip\ndef test_a(): 1\ndef test_b(): 1',
      'def test_a(): 1\n@mark.skip\ndef test_b(): 1',
    ],
    [
      'ATest.java',
      '@Test void z() {} @Disabled @Test void a() {}',
      '@Test @Disabled void z() {} @Test void a() {}',
    ],
    [
      'a_test.go',
      'func TestA(t *T) { t.Skip() }\nfunc TestB(t *T) {}',
      'func TestA(t *T) {}\nfunc TestB(t *T) { t.Skip() }',
    ],
  ])('sees in %s that one is skipped while another is let run', (path, was, text) => {
    expect(skipsTests(anEdit(path, { was, text }))).toBe(true)
    expect(skipsTests(anEdit(path, { was: text, text: was }))).toBe(true)
    expect(skipsTests(anEdit(path, { was, text: `${was}\n` }))).toBe(false)
  })

  it('lets a test be added beside one that is skipped', () => {
    const was = 'it("a", f)\nit.skip("b", f)\n'
    expect(skipsTests(anEdit('a.test.ts', { was, text: `it("new", f)\n${was}it("newer", f)\n` }))).toBe(false)
  })

  it('lets a test be added before the function that starts all', () => {
    const [was, start] = ['func TestA(t *T) {}\n', 'func TestMain(m *testing.M) { os.Exit(m.Run()) }\n']
    const text = `${was}func TestB(t *T) {}\n${start}`
    expect(skipsTests(anEdit('a_test.go', { was: was + start, text }))).toBe(false)
    expect(removesTests(anEdit('a_test.go', { was: was + start, text }))).toBe(false)
  })

  it('lets code that is no test use the words', () => {
    expect(skipsTests(anEdit('a.test.ts', { was: '', text: "it('a', { fails: false }, f)" }))).toBe(false)
    expect(skipsTests(anEdit('a.test.ts', { was: '', text: '[{ name: "a", fails: true }]' }))).toBe(false)
    expect(skipsTests(anEdit('src/iterate.ts', { was: '', text: 'it.skip(3); reader.skip()' }))).toBe(false)
    expect(skipsTests(anEdit('src/a.test.ts', { was: '', text: 'split(x); await submit()' }))).toBe(false)
    expect(skipsTests(anEdit('ATests.cs', { was: '', text: 'Assert.Equal(1, xs.Skip(3).Count())' }))).toBe(
      false,
    )
    expect(skipsTests(anEdit('test_a.py', { was: '', text: "'''\nskip the first line\n'''" }))).toBe(false)
    expect(skipsTests(anEdit('a.test.ts', { was: '', text: "test('a', { skip: false }, f)" }))).toBe(false)
  })
})

/** Code inside of a template. */
const put = (code: string): string => ['$', '{', code, '}'].join('')
const RUST = '#[cfg(test)]\nmod tests {\nuse super::*;\n#[test]\nfn a() { assert!(f()); }\n}\n'

describe('removesTests', () => {
  it.each([
    'a.test.ts',
    'test/a.js',
    'tests/a.py',
    'a_test.go',
    'spec/a_spec.rb',
    'FooTest.java',
    '__tests__/x.tsx',
    'tests.py',
    'src/testfoo.py',
    'test-foo.mjs',
    'src/TestFoo.java',
    'Tests/a.cs',
    'X.Tests/Foo.cs',
    'FooTests/a.swift',
    'Foo.UnitTests/A.cs',
  ])('sees that %s is deleted', (path) => {
    expect(removesTests(aDeletion(path))).toBe(true)
  })

  it.each([
    'src/latest.ts',
    'src/contest/a.ts',
    'src/attest.py',
    'src/lib.go',
    'src/Testament.java',
    'src/fastest/a.cs',
  ])('lets %s go', (path) => {
    expect(removesTests(aDeletion(path))).toBe(false)
  })

  it.each<readonly [path: string, was: string, text: string]>([
    ['a.test.ts', 'it("a"); test("b")', 'it("a")'],
    ['a_test.go', 'func TestA(t *T) {}\nfunc TestB(t *T) {}', 'func TestA(t *T) {}'],
    ['src/lib.rs', '#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}', '#[test]\nfn a() {}'],
    ['ATest.java', '@Test void a() {} @Test void b() {}', '@Test void a() {}'],
    ['a.test.ts', 'it("a"); test("b")', 'it("a"); // test("b")'],
    ['a.test.ts', 'it("a"); test("b")', 'it("a"); /* test("b") */'],
    ['a.test.ts', 'it("http://a"); test("b")', 'it("http://a"); // test("b")'],
    ['test_a.py', 'def test_a(): 1\ndef test_b(): 1', 'def test_a(): 1\n# def test_b(): 1'],
    ['test_a.py', 'def test_a(): 1\ndef test_b(): 1', 'def test_a(): 1\n"""def test_b(): 1"""'],
    ['spec/a_spec.rb', 'it "a" do\nend\nit "b" do\nend', 'it "a" do\nend\n=begin\nit "b" do\nend\n=end'],
    ['test/a.cc', 'TEST(A, B) {}\nTEST(A, C) {}', 'TEST(A, B) {}\n#if 0\nTEST(A, C) {}\n#endif'],
    ['ATest.kt', '@Test fun `a b`() {}\n@Test fun c() {}', '@Test fun c() {}'],
    ['ATests.swift', 'func testA() {}\nfunc testB() {}', 'func testA() {}'],
    ['a.bats', '@test "a" {\n [ 1 ]\n}\n@test "b" {\n [ 2 ]\n}', '@test "a" {\n [ 1 ]\n}'],
    ['test/runtests.jl', '@test f(1) == 2\n@test f(2) == 3', '@test f(1) == 2'],
    ['test/runtests.jl', '@testset "a" begin\nend\n@testset "b" begin\nend', '@testset "a" begin\nend'],
    ['a.test.ts', 'it("a"); test("b")', 'it("a"); x(/"/); /* "; test("b") */'],
    ['a.test.ts', 'it("a")\ntest("b")', 'const s = `\nit("a")\ntest("b")\n`'],
    ['a.test.ts', 'it("a")\ntest("b")', 'const s = `it("a"); test("b")`'],
    ['a.test.ts', 'it("a")\ntest("b")', `const s = \`${put('`\nit("a")\ntest("b")\n`')}\``],
    ['a.test.ts', 'it("a")\ntest("b")', `it("a")\nconst s = 'test("b")'`],
    ['a_test.go', 'func TestA(t *T) {}\n', 'var s = `\nfunc TestA(t *T) {}\n`'],
    ['a_test.go', 'func TestMain(m *M) { os.Exit(m.Run()) }', 'func TestMain(m *M) { setUp() }'],
    ['test_a.py', 'class TestA:\n  def test_a(s): 1', 'class A:\n  def test_a(s): 1'],
    ['test_a.py', 'class A(TestCase):\n  def test_a(s): 1', 'class A(Base):\n  def test_a(s): 1'],
    ...[
      '#[cfg(all(test, windows))]\nmod tests {',
      '#[cfg(feature = "never")]\nmod tests {',
      '#[cfg(test)]\n#[cfg(windows)]\nmod tests {',
      '#[cfg(windows)]\n#[allow(dead_code)]\n#[cfg(test)]\nmod tests {',
      '#[cfg(test)]\nmod tests {\n#![cfg(windows)]',
    ].map((head) => ['src/lib.rs', RUST, RUST.replace(/^.*\n.*/, head)] as const),
    ['src/lib.rs', RUST, RUST.replace('#[test]', '#[cfg(windows)]\n#[test]')],
    ['src/lib.rs', RUST, RUST.replace('#[test]', '#[test]\n#[cfg(windows)]')],
  ])('counts the tests of %s', (path, was, text) => {
    expect(removesTests(anEdit(path, { was, text }))).toBe(true)
    expect(removesTests(anEdit(path, { was: text, text: was }))).toBe(false)
  })

  it.each([
    ['a.test.ts', 'it("a", f); test("b", f)', 'it("a", f); test("c", f)'],
    ['a.test.ts', 'it.each([["x", 1]])("a %s", f)', 'it.each([["x", 1]])("b %s", f)'],
    ['test_a.py', 'def test_a(): 1', 'def test_other(): 1'],
    ['src/lib.rs', '#[test]\nfn a() {}', '#[test]\nfn b() {}'],
    ['ATests.cs', '[Fact] public void A() {}', '[Fact] public void B() {}'],
    ['test/a.cc', 'TEST_CASE("a") {}', 'TEST_CASE("b") {}'],
  ])('sees in %s that another test stands in for one', (path, was, text) => {
    expect(removesTests(anEdit(path, { was, text }))).toBe(true)
  })

  it.each([
    [
      'a.test.ts',
      'it("a", () => expect(f()).toBe(1))\nit("b", () => 1)',
      'it("a", () => {})\nit("b", () => 1)',
    ],
    ['test_a.py', 'def test_a():\n  assert f() == 1', 'def test_a():\n  pass'],
    ['a_test.go', 'func TestA(t *T) { if f() != 1 { t.Fatal() } }', 'func TestA(t *T) {}'],
  ])('sees in %s that a test checks nothing any more', (path, was, text) => {
    expect(removesTests(anEdit(path, { was, text }))).toBe(true)
    expect(removesTests(anEdit(path, { was: text, text: was }))).toBe(false)
  })

  it('lets cases be added to a table, and a test be rewritten', () => {
    const was = 'it.each([["x", 1]])("a %s", f)\nit("b", () => expect(1).toBe(1))'
    const text =
      'it.each([["w", 0], ["x", 1]])("a %s", g)\nit("b", async () => { await expect(h()).resolves.toBe(1) })'
    expect(removesTests(anEdit('a.test.ts', { was, text }))).toBe(false)
  })

  it.each([
    ['src/lib.rs', RUST, RUST.replace('#[test]', '#[cfg(windows)]\n#[test]\nfn b() {}\n#[test]')],
    ['src/lib.rs', RUST, `#[cfg(target_arch = "x86_64")]\nmod simd;\n${RUST}`],
    ['src/lib.rs', RUST, RUST.replace('mod tests', '#[allow(dead_code)]\nmod tests')],
    ['src/simd.rs', '', `#![cfg(windows)]\n${RUST}`],
    ['test_a.py', 'class TestA:\n  def test_a(s): 1', 'class TestA(Base):\n  x = 1\n  def test_a(s): 1'],
    ['test_a.py', 'class Made:\n  x = 1\ndef test_a(): 1', 'def test_a(): 1'],
    [
      'a.test.ts',
      'it("a", f)',
      `const s = \`\n${put("x('}')")}\n\`\nit(\`a\`, f)\nit(\`b\n${put('1')}\`, f)`,
    ],
    [
      'a.test.ts',
      `it.each\`\nx\n${put('1')}\n\`("a", f)\nit("b", f)`,
      `it.each\`\nx\n${put('1')}\n${put('{ y: `2` }')}\n\`("a", f)\nit("b", f)`,
    ],
    ['a.test.tsx', 'it("a", f)', 'x(<p>don\'t</p>, /`/)\nit("a", f)\nit("b", f)'],
    ['a_test.go', 'func TestA(t *T) {}\n', 'var s = `\\`\nfunc TestA(t *T) {}\n'],
  ])('lets %s be edited without a loss', (path, was, text) => {
    expect(removesTests(anEdit(path, { was, text }))).toBe(false)
    expect(skipsTests(anEdit(path, { was, text }))).toBe(false)
  })

  // Not on time: what takes the square of it would not come back within the runner's own limit.
  it.each([
    'it[',
    '\\"',
    "test('",
    'TEST_CASE(',
    'skip ',
    '[a,',
    '`',
    'it.each(',
    'test.skip("a")',
    '#if 0',
    '"\\\n',
    '\n',
    '\u2028',
    '= /[',
    '= /\\\\',
    ' /',
    '@Test(',
    '#[cfg_attr(',
    ', ',
    'skip:',
    '@test ',
    'func test',
    'func test( ',
  ])('comes back from a long file of %s', (piece) => {
    const text = piece.repeat(200_000 / piece.length)
    expect(typeof removesTests(anEdit('a.test.ts', { was: text, text }))).toBe('boolean')
    expect(skipsTests(anEdit('a.test.ts', { was: text, text }))).toBe(false)
  })

  it.each([
    ['a.test.ts', ['`$', '{'].join('')],
    ['a.test.ts', ['`$', '{`a`'].join('')],
    ['a.test.ts', "('a', {"],
    ['a.test.ts', '("'],
    ['a_test.go', '`'],
    ['a.rs', '#[test]'],
    ['a.rs', '#[cfg(test)] '],
    ['a.rs', '#[a] '],
    ['a.rs', '#['],
    ['a.rs', '#[test #[cfg'],
    ['test_a.py', 'class A('],
    ['test_a.py', 'class Test'],
  ])('comes back from a long %s of %s', (path, piece) => {
    const text = piece.repeat(200_000 / piece.length)
    expect(removesTests(anEdit(path, { was: text, text }))).toBe(false)
    expect(skipsTests(anEdit(path, { was: text, text }))).toBe(false)
  })
})
