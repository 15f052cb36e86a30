-- Whether the value may go over connections without TLS to addresses that are not near.
alter table secret add column allow_plaintext boolean not null default false;
