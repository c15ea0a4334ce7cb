/** An individual with many rows, for tests of reading: written by one statement instead of by requests with megabytes. */
import { row, type Service } from './service.ts';

/** So many rows that are alike except for their ids. They have no blocks. */
export async function individualWithCopies(
  { createUser, record, sql }: Service,
  count: number,
  members: Record<string, unknown>,
): Promise<number> {
  const id = await createUser();
  await record([row(id, members)]);
  const [columns] = await sql`
    select string_agg(column_name, ', ') as names from information_schema.columns
    where table_schema = 'ledgerline' and table_name = 'transactions' and column_name not in ('transaction_id', 'seq')`;
  await sql.unsafe(
    `insert into transactions (transaction_id, seq, ${columns!.names})
     select 'copy-' || n, n, ${columns!.names} from transactions, generate_series(2, ${count}) n where individual_id = ${id}`,
  );
  await sql`update users set transaction_count = ${count} where id = ${id}`;
  return id;
}
