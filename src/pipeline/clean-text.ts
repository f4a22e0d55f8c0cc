/** Text from a candidate's process, made safe to show and store: no escape sequences, no control characters, bounded. */
export function cleanText(text: string, maxCharacters: number): string {
  const plain = text
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
  return plain.length <= maxCharacters ? plain : `…${plain.slice(1 - maxCharacters)}`
}
