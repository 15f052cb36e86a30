-- Programs that work on repositories, each in a sandbox of its own. A deleted one is gone at once; its sandbox follows.
create table agent (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    repo text not null,
    branch text,
    harness text not null,
    prompt text not null,
    agent_args text,
    status text not null,
    vm_id text not null,
    stage text not null,
    started boolean not null,
    log_offset bigint not null,
    base text,
    deadline_at bigint,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null
);
create unique index agent_name on agent (organization_id, name);
create index agent_by_time on agent (organization_id, created_at, id);
create index agent_unfinished on agent (id) where stage <> 'DONE';
create index agent_of_vm on agent (vm_id);

-- What they have said: the newest of it.
create table agent_log (
    agent_id text not null references agent (id) on delete cascade,
    seq bigint not null,
    logged_at bigint not null,
    bytes bigint not null,
    text text not null,
    primary key (agent_id, seq)
);

-- What they have made of their repositories.
create table agent_patch (
    agent_id text primary key references agent (id) on delete cascade,
    patch bytea not null
);
