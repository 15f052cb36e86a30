-- What an account has on the disk, which is counted whenever it asks for a snapshot, and not what it once had.
create index snapshot_of_organization on snapshot (organization_id, id) where gone_at is null;
create index vm_of_snapshot on vm (organization_id, snapshot_id) where snapshot_id is not null and address is not null;
