package dev.sallyport.control.policy;

import jakarta.inject.Singleton;

/** All of the kind {@link PolicyKind#NETWORK}. */
@Singleton
public final class NetworkPolicies extends Policies<NetworkPolicyDraft> {

    public NetworkPolicies(Parts parts) {
        super(PolicyKind.NETWORK, NetworkPolicyDraft.class, parts);
    }
}
