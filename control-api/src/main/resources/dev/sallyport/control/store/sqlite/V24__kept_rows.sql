-- How much of each organization stands in the tables that have limits, counted as rows come and go: to count them
-- each time took longer the more there were.
create table kept_rows (
    organization_id text not null,
    table_name text not null,
    row_count bigint not null,
    bytes bigint not null,
    primary key (organization_id, table_name)
);
insert into kept_rows select organization_id, 'egress_rule', count(*), sum(bytes) from egress_rule group by organization_id;
drop index egress_rule_size;
insert into kept_rows select organization_id, 'secret', count(*), sum(bytes) from secret group by organization_id;
drop index secret_size;
insert into kept_rows select organization_id, 'environment_variable', count(*), sum(bytes) from environment_variable group by organization_id;
drop index environment_variable_size;

create trigger egress_rule_comes after insert on egress_rule begin
    insert into kept_rows values (new.organization_id, 'egress_rule', 1, new.bytes)
    on conflict (organization_id, table_name) do update set row_count = row_count + 1, bytes = bytes + excluded.bytes;
end;
create trigger egress_rule_changes after update of bytes on egress_rule begin
    update kept_rows set bytes = bytes - old.bytes + new.bytes where organization_id = new.organization_id and table_name = 'egress_rule';
end;
create trigger egress_rule_goes after delete on egress_rule begin
    update kept_rows set row_count = row_count - 1, bytes = bytes - old.bytes where organization_id = old.organization_id and table_name = 'egress_rule';
end;

create trigger secret_comes after insert on secret begin
    insert into kept_rows values (new.organization_id, 'secret', 1, new.bytes)
    on conflict (organization_id, table_name) do update set row_count = row_count + 1, bytes = bytes + excluded.bytes;
end;
create trigger secret_changes after update of bytes on secret begin
    update kept_rows set bytes = bytes - old.bytes + new.bytes where organization_id = new.organization_id and table_name = 'secret';
end;
create trigger secret_goes after delete on secret begin
    update kept_rows set row_count = row_count - 1, bytes = bytes - old.bytes where organization_id = old.organization_id and table_name = 'secret';
end;

create trigger environment_variable_comes after insert on environment_variable begin
    insert into kept_rows values (new.organization_id, 'environment_variable', 1, new.bytes)
    on conflict (organization_id, table_name) do update set row_count = row_count + 1, bytes = bytes + excluded.bytes;
end;
create trigger environment_variable_changes after update of bytes on environment_variable begin
    update kept_rows set bytes = bytes - old.bytes + new.bytes where organization_id = new.organization_id and table_name = 'environment_variable';
end;
create trigger environment_variable_goes after delete on environment_variable begin
    update kept_rows set row_count = row_count - 1, bytes = bytes - old.bytes where organization_id = old.organization_id and table_name = 'environment_variable';
end;
