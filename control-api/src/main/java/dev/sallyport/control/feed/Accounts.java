package dev.sallyport.control.feed;

import dev.sallyport.control.egress.EgressPolicies;
import dev.sallyport.control.egress.KeptRules;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.policy.PolicySets;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.util.Collection;

/** Reads all that pipelines of an organization are made of. Thread-safe; blocks. */
@Singleton
public final class Accounts {

    /** How many egress rules are kept, of all organizations. */
    private static final int MOST_KEPT = 100_000;

    private final Store store;
    private final Secrets secrets;
    private final KeptRules rules = new KeptRules(MOST_KEPT, System::nanoTime);

    public Accounts(Store store, Secrets secrets) {
        this.store = store;
        this.secrets = secrets;
    }

    /** The present state of an organization. */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public Account of(String organization) {
        return store.readAtOneMoment(handle -> new Account(
                PolicySets.of(handle, organization),
                EgressPolicies.of(handle, organization),
                rules.of(handle, organization),
                SecretSet.of(handle, organization)));
    }

    /** Forgets what was kept for reading the same again. */
    void forgetOld() {
        rules.forgetOld();
    }

    /**
     * The secrets of an organization, for its proxies. Waits for no key.
     *
     * @param before as they were, if that is known
     */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    Credentials credentials(String organization, SecretSet set, Collection<Credentials> before) {
        return Credentials.of(organization, set, new OpenValues(stored -> secrets.value(organization, stored)), before);
    }
}
