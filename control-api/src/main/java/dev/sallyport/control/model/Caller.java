package dev.sallyport.control.model;

import org.jspecify.annotations.Nullable;

/**
 * On whose behalf something is done. Services show and change what belongs to its organization, and nothing else.
 *
 * @param organizationId the organization
 * @param userId the user; empty for the operator
 * @param apiKeyId the key of the request; null for a signed-in browser and for the operator
 * @param remoteAddress the address of the client; empty for the operator
 */
public record Caller(
        String organizationId, String userId, @Nullable String apiKeyId, String remoteAddress) {

    /** The operator of the installation, who has no account. */
    public static Caller operator(String organizationId) {
        return new Caller(organizationId, "", null, "");
    }
}
