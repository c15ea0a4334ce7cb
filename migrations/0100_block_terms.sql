-- expand: A block knows which of its rows have which words, so that most searches are counted without the texts.

-- Which rows have which words, as src/transactions/list/block-terms.ts writes it. Null if it was not written, or takes too
-- much room. It counts only while `words` is not null: a node of the release before empties only `words` when rows are added.
alter table transaction_blocks add column terms text;
-- Not compressed, so that they are fast to read.
alter table transaction_blocks alter column terms set storage external;
