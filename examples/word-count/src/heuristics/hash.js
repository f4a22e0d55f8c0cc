const FACTOR = 64

// A number for a word. Any will do; the better words are spread over the numbers, the sooner they are found.
export function hash(word) {
  let code = 0
  for (let at = 0; at < word.length; at++) {
    code = (Math.imul(code, FACTOR) + word.charCodeAt(at)) | 0
  }
  return code
}
