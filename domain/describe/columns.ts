/** The cells of a line; none make an empty line. */
export type Line = readonly string[];

export interface ColumnOptions {
  /** Blanks between a column and the next. */
  readonly padding: number;
  /** Least width of a column, its padding included. */
  readonly minWidth: number;
}

/** As `velero describe` aligns. */
export const DESCRIBE_COLUMNS: ColumnOptions = { padding: 2, minWidth: 0 };
/** As `kubectl get` aligns. */
export const TABLE_COLUMNS: ColumnOptions = { padding: 3, minWidth: 6 };

/**
 * Aligns cells as Go's tabwriter does: a column is as wide as its widest cell in neighbouring lines that have a further cell
 * behind it, so a line without that column (a blank one, a heading) ends it. The last cell of a line takes part in no column and may
 * hold anything, colours too.
 * @returns the lines, each with its line end and without blanks behind its last cell.
 */
export function alignColumns(lines: readonly Line[], options: ColumnOptions): string {
  const widths = lines.map((line) => line.slice(0, -1).map(() => 0));
  const columns = widths.reduce((most, row) => Math.max(most, row.length), 0);
  for (let column = 0; column < columns; column++) setWidths(lines, widths, column, options);
  return lines.map((line, index) => `${renderLine(line, widths[index] ?? [])}\n`).join('');
}

function setWidths(
  lines: readonly Line[],
  widths: readonly number[][],
  column: number,
  { padding, minWidth }: ColumnOptions,
): void {
  for (let start = 0; start < lines.length; start++) {
    let end = start;
    let width = 0;
    for (; end < lines.length && column < (widths[end]?.length ?? 0); end++) {
      width = Math.max(width, widthOf(lines[end]?.[column] ?? ''));
    }
    const whole = Math.max(minWidth, width + padding);
    for (const row of widths.slice(start, end)) row[column] = whole;
    start = end;
  }
}

function renderLine(line: Line, widths: readonly number[]): string {
  return line
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
    .join('')
    .trimEnd();
}

/** In code points, as Go counts. */
function widthOf(cell: string): number {
  return Array.from(cell).length;
}
