package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.core.config.ByteSize;
import dev.sallyport.sandbox.VmLimits;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Whether an account may have one more VM, or one more that runs. The organization has to be locked, so that nobody asks for
 * another one meanwhile.
 *
 * <p>VMs that are about to be destroyed do not count, since their owner can do no more about them. But they still have what
 * they have of the host, which is everybody's: with them, an account has twice its quotas at most. Thread-safe; blocks for
 * the database only.
 */
@Singleton
final class VmQuotas {

    /** The same as {@link VmState#mayRun}. */
    private static final String MAY_RUN = " and (wanted = 'RUNNING' or must_stop or booted)";

    private final SandboxSettings settings;

    VmQuotas(SandboxSettings settings) {
        this.settings = settings;
    }

    /** What VMs take of their host. */
    private enum Resource {
        MEMORY("memory of VMs that run", "memory_bytes", MAY_RUN),
        PROCESSORS("processors of VMs that run", "cpu_millis", MAY_RUN),
        PROCESSES("processes of VMs that run", "processes", MAY_RUN),
        DISK("disk of VMs", "disk_bytes", "");

        private final String words;
        private final String column;
        private final String condition;

        /** @param condition which VMs take it */
        Resource(String words, String column, String condition) {
            this.words = words;
            this.column = column;
            this.condition = condition;
        }

        private String text(long amount) {
            return switch (this) {
                case MEMORY, DISK -> new ByteSize(amount).toString();
                case PROCESSORS -> amount + " thousandths";
                case PROCESSES -> String.valueOf(amount);
            };
        }

        Refusal refusal(String more, long taken, long asked, long most, String remedy) {
            return Refusal.quotaExceeded("%s%s: %s are taken, and this one takes %s (expected: no more than %s; %s)"
                    .formatted(words, more, text(taken), text(asked), text(most), remedy));
        }
    }

    /**
     * What there is already.
     *
     * @param kept of VMs that are not destroyed
     * @param held the same, with that of VMs that are about to be destroyed
     */
    private record Taken(long kept, long held) {}

    /** Refuses with 409 when a VM of this size is too much. */
    void refuseCreation(Transaction transaction, String organization, VmLimits size) {
        int most = settings.vms().most();
        Taken vms = taken(transaction, organization, "", "1", "");
        if (vms.kept() >= most) {
            throw Refusal.quotaExceeded(most + " VMs exist (expected: no more; delete one)");
        }
        if (vms.held() >= 2L * most) {
            throw Refusal.quotaExceeded(
                    2L * most + " VMs have addresses (expected: no more; wait until deleted ones are gone)");
        }
        refuseRun(transaction, organization, "", size);
        refuse(transaction, organization, "", Resource.DISK, settings.vms().diskBytes(), size.diskBytes());
    }

    /** Refuses with 409 when it is too much that this VM runs. */
    void refuseStart(Transaction transaction, VmRow vm) {
        refuseRun(transaction, vm.identity().organization(), vm.id(), vm.size(settings.size()));
    }

    private void refuseRun(Transaction transaction, String organization, String id, VmLimits size) {
        SandboxSettings.VmQuota quota = settings.vms();
        refuse(transaction, organization, id, Resource.MEMORY, quota.memoryBytes(), size.memoryBytes());
        refuse(transaction, organization, id, Resource.PROCESSORS, quota.cpuMillis(), size.cpuMillis());
        refuse(transaction, organization, id, Resource.PROCESSES, quota.processes(), size.processes());
    }

    private static void refuse(
            Transaction transaction,
            String organization,
            String id,
            Resource resource,
            @Nullable Long most,
            long asked) {
        if (most == null) {
            return;
        }
        Taken taken = taken(transaction, organization, id, resource.column, resource.condition);
        if (taken.kept() + asked > most) {
            String remedy = resource == Resource.DISK ? "delete one" : "stop or delete one";
            throw resource.refusal("", taken.kept(), asked, most, remedy);
        }
        if (taken.held() + asked - most > most) {
            throw resource.refusal(
                    ", deleted ones included", taken.held(), asked, 2 * most, "wait until deleted ones are gone");
        }
    }

    /** @param except a VM that is not counted; may be empty */
    private static Taken taken(
            Transaction transaction, String organization, String except, String column, String condition) {
        return transaction
                .sql()
                .createQuery(
                        "select coalesce(sum(case when status <> 'destroyed' then %1$s end), 0) as kept, coalesce(sum(%1$s), 0) as held from vm where organization_id = :organization and address is not null and id <> :except%2$s"
                                .formatted(column, condition))
                .bind("organization", organization)
                .bind("except", except)
                .map((row, context) -> new Taken(row.getLong("kept"), row.getLong("held")))
                .one();
    }
}
