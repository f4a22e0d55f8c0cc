import type { BenchReport } from './bench.ts'

/** A report for people: the headline, then every detail as a line or a table. */
export function renderReport(name: string, { headline, details }: BenchReport): string {
  const sections = Object.entries(details).map(([key, value]) => renderDetail(key, value))
  return [name, renderTable([headline]), ...sections].join('\n\n')
}

function renderDetail(key: string, value: unknown): string {
  if (Array.isArray(value)) return `${key}\n${renderTable(value)}`
  if (typeof value === 'object' && value !== null) return `${key}\n${renderTable([value])}`
  return `${key}: ${value}`
}

function renderTable(rows: readonly object[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => {
    const byName = new Map(Object.entries(row))
    return columns.map((column) => `${byName.get(column) ?? ''}`)
  })
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('  ')}`
  return [columns, ...cells].map(line).join('\n')
}
