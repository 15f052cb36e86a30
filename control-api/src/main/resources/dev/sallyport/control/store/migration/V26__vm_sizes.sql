-- What a sandbox may take of its host, which it has from its creation on, whatever is configured later. It is null where that
-- was not written down, until the control plane starts that runs it.
alter table vm add column memory_bytes bigint;
alter table vm add column cpu_millis integer;
alter table vm add column processes integer;
alter table vm add column disk_bytes bigint;

-- What an account has is counted whenever it asks for more, and not what it once had.
create index vm_of_organization on vm (organization_id) where address is not null;
