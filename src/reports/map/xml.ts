// What XML 1.0 cannot hold, not even escaped: one such character and no viewer draws the picture.
const UNSPEAKABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu

/** Text for the inside of an SVG or an attribute. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(UNSPEAKABLE, '')
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
