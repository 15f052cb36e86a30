-- One row: the account that signed up first, whatever the clocks of replicas say. There is none before the first sign-up.
create table first_account (
    id integer primary key,
    organization_id text not null references organization (id)
);
insert into first_account (id, organization_id) select 1, id from organization order by created_at, id limit 1;
