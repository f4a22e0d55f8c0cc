// XML 1.0 cannot hold these, even escaped: with one of them no viewer draws the picture.
const INVALID = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu

/** Text for the inside of an SVG or an attribute. */
export function escapeXml(text: string): string {
  return text.replaceAll(INVALID, '').replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
