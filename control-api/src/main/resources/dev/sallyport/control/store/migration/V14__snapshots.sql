-- Copies of what sandboxes had on their disks. A deleted one is seen by nobody, and stays until the driver has let go of it.
create table snapshot (
    id text primary key,
    organization_id text not null references organization (id),
    vm_id text not null,
    image text not null,
    source_snapshot_id text,
    label text,
    status text not null,
    size_bytes bigint,
    due_at bigint,
    attempts integer not null,
    failing_since bigint,
    created_at bigint not null,
    deleted_at bigint,
    gone_at bigint
);
create index snapshot_by_time on snapshot (organization_id, created_at, id);
create index snapshot_of_vm on snapshot (vm_id, created_at, id);
create index snapshot_due_at on snapshot (due_at) where due_at is not null;
create index snapshot_present on snapshot (id) where gone_at is null;
create index snapshot_gone_at on snapshot (gone_at) where gone_at is not null;

-- What a sandbox was made from, where that is no image.
alter table vm add column snapshot_id text;
create index vm_unmade on vm (snapshot_id) where snapshot_id is not null and address is not null;
