/** A database that commands import into, with what their tests need: individuals, files, and the rows that were stored. */
import { writeFile } from 'node:fs/promises';
import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { dataFolder } from '../process.ts';
import { cloneDatabase } from '../service.ts';

/** For the tests of one file. The database is there while they run. */
export function importDatabase() {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let sql: postgres.Sql;
  const env: Record<string, string> = {};
  beforeAll(async () => {
    database = await cloneDatabase();
    sql = postgres(database.url, { connection: { search_path: 'ledgerline' }, onnotice: () => {} });
    env.DATABASE_URL = database.url;
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });
  let lastId = 1000;
  return {
    /** The settings of a command. */
    env,
    get sql() {
      return sql;
    },
    async newIndividual(): Promise<number> {
      const id = (lastId += 1);
      await sql`insert into users (id, created_at) values (${id}, now())`;
      return id;
    },
    async file(name: string, content: string | Buffer): Promise<string> {
      const target = `${await dataFolder()}-${name}`;
      await writeFile(target, content);
      return target;
    },
    stored: (id: number) => sql`
      select transaction_id as id, amount::text, to_char(time_stamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as time, body::json ->> 'transactionCategory' as category,
        body::json ->> 'transactionStatus' as status, body::json ->> 'senderName' as sender, body::json ->> 'receiverName' as receiver, body::json ->> 'paymentNotes' as notes
      from transactions where individual_id = ${id} order by seq`,
  };
}
