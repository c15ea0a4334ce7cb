-- Run once by the image of PostgreSQL, when its volume is empty: the two roles of docs/production.md, and the database.
\getenv owner_password OWNER_PASSWORD
\getenv service_password SERVICE_PASSWORD
create role ledgerline_owner login password :'owner_password';
create role ledgerline_service login password :'service_password';
create database ledgerline owner ledgerline_owner;
