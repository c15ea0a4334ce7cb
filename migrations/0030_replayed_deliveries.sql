-- expand: Deliveries that a replay queued, which are limited for each endpoint.

alter table webhook_deliveries add column is_replay boolean not null default false;
