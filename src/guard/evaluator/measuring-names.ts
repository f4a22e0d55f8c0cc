// Names of what measures.
const MEASURING =
  /^(.*[._-])?(__tests__|tests?|specs?|e2e|bench(es|marks?)?|perf|eval(s|uat(e|ion|or))?|measure(ments?)?)([._-].*)?$/i

/** True for a path with a file or folder in it whose name says that it measures. */
export function isMeasuringPath(path: string): boolean {
  return path.split('/').some((name) => MEASURING.test(name))
}
