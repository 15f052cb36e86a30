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

create function count_kept_row() returns trigger as $$
begin
    if tg_op = 'INSERT' then
        insert into kept_rows values (new.organization_id, tg_table_name, 1, new.bytes)
        on conflict (organization_id, table_name) do update
            set row_count = kept_rows.row_count + 1, bytes = kept_rows.bytes + excluded.bytes;
    elsif tg_op = 'UPDATE' then
        update kept_rows set bytes = bytes - old.bytes + new.bytes
        where organization_id = new.organization_id and table_name = tg_table_name;
    else
        update kept_rows set row_count = row_count - 1, bytes = bytes - old.bytes
        where organization_id = old.organization_id and table_name = tg_table_name;
    end if;
    return null;
end;
$$ language plpgsql;
create trigger egress_rule_kept after insert or update of bytes or delete on egress_rule for each row execute function count_kept_row();
create trigger secret_kept after insert or update of bytes or delete on secret for each row execute function count_kept_row();
create trigger environment_variable_kept after insert or update of bytes or delete on environment_variable for each row execute function count_kept_row();
