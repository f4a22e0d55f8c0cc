import { createNameTest, splitPatterns } from '../paths/name-patterns.ts'
import { foldName } from '../paths/path-names.ts'

/** Names that belong to a language or its measuring tools, where a new file of the project would be found first. */
export interface StandIns {
  readonly language: string
  /** Ends of paths, in lower case. */
  readonly names: string
  /** The folders that are searched for the name, at any depth, besides the root. If absent, all are. */
  readonly below?: string
  /** Only projects with such files are concerned. */
  readonly needs?: string
  readonly why: string
}

const C_FILES = '*.{c,cc,cpp,cxx,c++,h,hh,hpp,hxx,m,mm,cu,pyx}'

/**
 * New files only: a project that has such a file already lives with it. Python has more rules, in python-modules.ts. Node's own
 * modules, Go's and Rust's cannot be replaced by a file. Each row has an example in test/guard/hooks/shadow-names.test.ts.
 */
export const STAND_INS: readonly StandIns[] = [
  {
    language: 'C',
    names: `assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h
      stdalign.h stdarg.h stdatomic.h stdbit.h stdbool.h stdckdint.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
      strings.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h aio.h dirent.h dlfcn.h endian.h err.h execinfo.h fcntl.h
      fnmatch.h getopt.h glob.h grp.h ifaddrs.h immintrin.h libgen.h malloc.h memory.h mqueue.h netdb.h poll.h pthread.h pwd.h
      regex.h sched.h semaphore.h spawn.h syslog.h termios.h ucontext.h unistd.h utime.h wordexp.h x86intrin.h
      {sys,bits,linux,asm,asm-generic,arpa,netinet,net,gnu}/*.h`,
    needs: C_FILES,
    why: 'with -Isrc, `#include <time.h>` reads src/time.h before the system header',
  },
  {
    language: 'C++',
    names: `algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
      climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef
      cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem flat_map
      flat_set format forward_list fstream functional future generator initializer_list iomanip ios iosfwd iostream istream
      iterator latch limits list locale map mdspan memory memory_resource mutex new numbers numeric optional ostream print
      queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span spanstream sstream
      stack stacktrace stdexcept stdfloat stop_token streambuf string string_view strstream syncstream system_error thread
      tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version`,
    needs: C_FILES,
    why: 'a file without extension in an include path is read for `#include <chrono>`',
  },
  {
    language: 'C and C++ measuring',
    names: `benchmark/benchmark.h benchmark/export.h gtest/*.h gmock/*.h catch2/*.hpp catch.hpp doctest.h doctest/doctest.h
      criterion/*.h check.h cmocka.h unity.h nanobench.h nonius.h++ celero/*.h boost/test/*.hpp cpputest/*.h
      valgrind/*.h papi.h`,
    why: 'these headers hold the macros that time and assert',
  },
  {
    language: 'Ruby',
    names: `abbrev.rb base64.rb benchmark.rb bigdecimal.rb bundler.rb cgi.rb coverage.rb csv.rb date.rb delegate.rb
      did_you_mean.rb digest.rb erb.rb etc.rb fiddle.rb fileutils.rb find.rb forwardable.rb io/console.rb ipaddr.rb json.rb
      logger.rb matrix.rb monitor.rb net/http.rb objspace.rb observer.rb open3.rb openssl.rb optparse.rb ostruct.rb
      pathname.rb pp.rb prettyprint.rb prime.rb pstore.rb psych.rb rake.rb rbconfig.rb ripper.rb rubygems.rb securerandom.rb
      set.rb shellwords.rb simplecov.rb singleton.rb socket.rb stringio.rb strscan.rb tempfile.rb time.rb timeout.rb
      tmpdir.rb tsort.rb uri.rb weakref.rb yaml.rb zlib.rb minitest.rb minitest/*.rb rspec.rb rspec/*.rb test/unit.rb
      benchmark/ips.rb benchmark_driver.rb`,
    below: 'lib src test spec ext',
    why: 'rake and -Ilib put these folders before the standard library',
  },
  {
    language: 'Perl',
    names: `benchmark.pm carp.pm constant.pm data/dumper.pm exporter.pm file/*.pm list/util.pm posix.pm scalar/util.pm strict.pm
      test/*.pm test2/*.pm time/*.pm utf8.pm vars.pm warnings.pm`,
    below: 'lib blib/lib t/lib',
    why: 'prove -l and -Ilib put lib before the standard library',
  },
  {
    language: 'Lua',
    names: 'busted.lua busted/*.lua luassert.lua luassert/*.lua luaunit.lua luacov.lua socket.lua lfs.lua',
    below: 'src lib',
    why: 'package.path begins with the working directory',
  },
  {
    language: 'JVM',
    names: `{java,kotlin,scala,groovy}/{junit,kotlin}/*/ {java,kotlin,scala,groovy}/org/{junit,testng,mockito,hamcrest,assertj,openjdk,scalatest,spockframework}/
      {java,kotlin,scala,groovy}/io/{kotest,mockk}/ {java,kotlin,scala,groovy}/com/google/{common/truth,caliper}/`,
    why: "a project's own classes come before its dependencies on the class path",
  },
  {
    language: 'Rust',
    names: 'benches/*.rs benches/*/main.rs',
    why: 'Cargo builds and runs every file in benches, whose output stands beside the real figures',
  },
]

const ROWS = STAND_INS.map((row) => ({
  row,
  isName: createNameTest(patternsOf(row)),
  isNeeded: row.needs === undefined ? undefined : createNameTest(splitPatterns(row.needs)),
}))

/** Finds the row that a new file at a folded path would stand in for. */
export function createStandInTest(rootPaths: readonly string[]): (folded: string) => StandIns | undefined {
  const rows = ROWS.filter(
    ({ isNeeded }) => isNeeded === undefined || rootPaths.some((path) => isNeeded(foldName(path))),
  )
  return (folded) => rows.find(({ isName }) => isName(folded))?.row
}

function patternsOf({ names, below }: StandIns): string[] {
  const patterns = splitPatterns(names)
  if (below === undefined) return patterns
  return ['', ...splitPatterns(below)].flatMap((folder) => patterns.map((name) => `${folder}/${name}`))
}
