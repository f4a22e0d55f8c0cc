/** A small program in each language, none with an example's words in it. */
export const SAMPLES: Readonly<Record<string, string>> = {
  'src/a.js':
    'export function f(xs) {\n  let sum = 0\n  for (const x of xs) {\n    sum += x * 1.5\n    if (sum > 100) break\n  }\n  log(sum)\n  return sum / 2 - 1\n}\n',
  'src/b.ts':
    'type A<T> = Map<string, T>\nexport function f(a: A<number>, b = 2.5): number {\n  const c = a.size * b + 1\n  g(c)\n  h(c - 3, 4)\n  return c < 10 ? c : 10\n}\n',
  'src/c.py':
    'import math\n\ndef f(xs, k=3):\n    total = 0\n    for x in xs:\n        total += x * 0.25\n        if total > 10 and x < 5:\n            return total\n    total = total - k\n    return total\n',
  'src/d.go':
    'package a\n\nfunc f(n int) int {\n\tsum := 0\n\tfor i := 0; i < n; i++ {\n\t\tsum += i * 2\n\t\tg(sum)\n\t}\n\treturn sum - 1\n}\n',
  'src/e.rs':
    'fn f(n: u32) -> f64 {\n    let mut s = 0.5;\n    for i in 0..n {\n        s *= 1.5;\n        g(i, 3u8);\n    }\n    s - 2.0\n}\n',
  'src/f.java':
    'class A {\n  int f(int n) {\n    int s = 1;\n    s += n * 2;\n    g(s, 10L);\n    return s - 3;\n  }\n}\n',
  'src/g.rb': 'def f(n)\n  s = 1\n  s += n * 2\n  puts s if s > 3 && n < 9\n  s - 1.5\nend\n',
  'src/h.cpp':
    '#include <vector>\nint f(std::vector<int> v) {\n  int s = 1;\n  for (int x : v) {\n    s += x * 2;\n    g(s);\n  }\n  return s - 3;\n}\n',
  'src/i.cs':
    'class A {\n  int F(int n) {\n    var s = 1.5f;\n    s += n * 2;\n    G(s);\n    return n - 3;\n  }\n}\n',
  'src/j.php': '<?php\nfunction f($n) {\n  $s = 1.5;\n  $s += $n * 2;\n  g($s);\n  return $s - 3;\n}\n',
  'src/k.sh': 'x=1\nfor i in 1 2 3; do\n  echo $((i + 1))\n  sleep 2\ndone\n',
  'src/l.css': 'a {\n  width: 10px;\n  margin: 1.5em;\n}\n',
  'src/m.lua':
    '-- counts 3 things\nlocal s = 0\nfor i = 1, 10 do\n  s = s + i * 2\n  print(s, "a 7")\nend\nreturn s\n',
  'src/n.txt': 'The limit is 12 today.\nIt was 30 before.\n',
}
