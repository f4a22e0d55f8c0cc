import { describe, expect, it } from 'vitest'
import { removesTests, skipsTests } from '../../src/guard/tests.ts'
import { aDeletion, anEdit } from './changes.ts'

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
    ['rspec, inside', 'spec/a_spec.rb', 'it "a" do\nend', 'it "a" do\n  skip\nend'],
  ])('sees it in %s', (_, path, was, text) => {
    expect(skipsTests(anEdit(path, { was, text }))).toBe(true)
    expect(skipsTests(anEdit(path, { was: text, text: was }))).toBe(false)
    expect(skipsTests(anEdit(path, { was: text, text: `${text} // more` }))).toBe(false)
  })

  it('lets code that is no test use the words', () => {
    expect(skipsTests(anEdit('src/iterate.ts', { was: '', text: 'it.skip(3); reader.skip()' }))).toBe(false)
    expect(skipsTests(anEdit('src/a.test.ts', { was: '', text: 'split(x); await submit()' }))).toBe(false)
  })
})

describe('removesTests', () => {
  it.each([
    'a.test.ts',
    'test/a.js',
    'tests/a.py',
    'a_test.go',
    'spec/a_spec.rb',
    'FooTest.java',
    '__tests__/x.tsx',
  ])('sees that %s is deleted', (path) => {
    expect(removesTests(aDeletion(path))).toBe(true)
  })

  it.each(['src/latest.ts', 'src/contest/a.ts', 'src/attest.py', 'src/lib.go'])('lets %s go', (path) => {
    expect(removesTests(aDeletion(path))).toBe(false)
  })

  it.each([
    ['a.test.ts', 'it("a"); test("b")', 'it("a")'],
    ['a_test.go', 'func TestA(t *T) {}\nfunc TestB(t *T) {}', 'func TestA(t *T) {}'],
    ['src/lib.rs', '#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}', '#[test]\nfn a() {}'],
    ['ATest.java', '@Test void a() {} @Test void b() {}', '@Test void a() {}'],
  ])('counts the tests of %s', (path, was, text) => {
    expect(removesTests(anEdit(path, { was, text }))).toBe(true)
    expect(removesTests(anEdit(path, { was: text, text: was }))).toBe(false)
  })
})
