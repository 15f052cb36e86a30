package dev.sallyport.control.egress;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.util.Locale;
import java.util.Objects;
import org.jdbi.v3.core.Handle;

/** The egress policy of each account. */
@Singleton
public final class EgressPolicies {

    private static final String RESOURCE = "egress_policy";

    private final Store store;
    private final AdminAudit audit;

    public EgressPolicies(Store store, AdminAudit audit) {
        this.store = store;
        this.audit = audit;
    }

    /** The policy of the caller's account. */
    public EgressPolicy get(Caller caller) {
        return store.read(handle -> of(handle, caller.organizationId(), ""));
    }

    /** Replaces it. */
    public Written<EgressPolicy> replace(Caller caller, EgressPolicy policy) {
        return store.write(transaction -> {
            String organization = caller.organizationId();
            EgressPolicy before = of(transaction.sql(), organization, transaction.rowLock());
            transaction
                    .sql()
                    .createUpdate("update organization set egress_mode = :mode where id = :id")
                    .bind("mode", policy.mode().name().toLowerCase(Locale.ROOT))
                    .bind("id", organization)
                    .execute();
            transaction.changed(organization, RESOURCE, organization);
            audit.record(transaction, caller, Administered.updated(RESOURCE, organization, before, policy));
            return policy;
        });
    }

    /** The policy of an organization, with what else the same statements read; see {@link Store#readAtOneMoment}. */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public static EgressPolicy of(Handle handle, String organization) {
        return of(handle, organization, "");
    }

    private static EgressPolicy of(Handle handle, String organization, String lock) {
        String mode = Objects.requireNonNull(Statements.first(
                handle,
                "select egress_mode from organization where id = ?" + lock,
                row -> row.getString(1),
                organization));
        return new EgressPolicy(EgressMode.valueOf(mode.toUpperCase(Locale.ROOT)));
    }
}
