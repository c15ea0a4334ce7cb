/** The figures of a chart, for people who cannot see it. */
interface FigureTableProps {
  title: string;
  columns: readonly string[];
  /** The first cell names its row. */
  rows: readonly (readonly string[])[];
}

export function FigureTable({ title, columns, rows }: FigureTableProps) {
  return (
    <div class="unseen">
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...figures]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {figures.map((figure, index) => (
                <td key={index}>{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
