-- Sandboxes. A destroyed one stays for as long as records do, without address and port.
create table vm (
    id text primary key,
    organization_id text not null references organization (id),
    name text not null,
    name_key bytea not null,
    public_key text not null,
    image text not null,
    status text not null,
    status_detail text not null,
    wanted text not null,
    must_stop boolean not null,
    made boolean not null,
    booted boolean not null,
    boot_by bigint,
    version bigint not null,
    address bigint,
    ssh_port integer,
    host_keys text not null,
    created_at bigint not null,
    updated_at bigint not null,
    destroyed_at bigint
);
create unique index vm_name on vm (organization_id, name) where status <> 'destroyed';
create unique index vm_address on vm (address) where address is not null;
create unique index vm_ssh_port on vm (ssh_port) where ssh_port is not null;
create index vm_present on vm (id) where destroyed_at is null;
create index vm_destroyed_at on vm (destroyed_at) where destroyed_at is not null;
create index vm_by_time on vm (organization_id, created_at, id);
create index vm_by_update on vm (organization_id, updated_at, id);
create index vm_by_name on vm (organization_id, name_key, id);

-- What has to be done to a sandbox, so that it becomes what is wanted: one thing at a time, until it is.
create table vm_job (
    vm_id text primary key references vm (id),
    due_at bigint not null,
    attempts integer not null,
    failing_since bigint,
    problem text
);
create index vm_job_due_at on vm_job (due_at);

create table vm_event (
    id text primary key,
    vm_id text not null,
    organization_id text not null,
    happened_at bigint not null,
    status text not null,
    status_detail text not null,
    message text not null
);
create index vm_event_by_time on vm_event (vm_id, happened_at, id);
create index vm_event_happened_at on vm_event (happened_at);
