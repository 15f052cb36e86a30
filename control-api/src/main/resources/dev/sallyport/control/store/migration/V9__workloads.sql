-- Workloads that tell themselves to proxies of the installation by a user, which is the identifier, and a password.

create table workload (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    password_hash text not null,
    created_at bigint not null,
    unique (organization_id, name)
);
create index workload_by_time on workload (organization_id, created_at, id);
