package dev.sallyport.control.policy;

import jakarta.inject.Singleton;

/** All of the kind {@link PolicyKind#SECRET}. */
@Singleton
public final class SecretPolicies extends Policies<SecretPolicyDraft> {

    public SecretPolicies(Parts parts) {
        super(PolicyKind.SECRET, SecretPolicyDraft.class, parts);
    }
}
