// Names that suggest measuring.
const MEASURING =
  /^(.*[._-])?(__tests__|tests?|specs?|e2e|bench(es|marks?)?|perf|eval(s|uat(e|ion|or))?|measure(ments?)?)([._-].*)?$/i

/** True for a path that contains a name that suggests measuring. */
export function isMeasuringPath(path: string): boolean {
  return path.split('/').some((name) => MEASURING.test(name))
}
