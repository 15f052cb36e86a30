package dev.sallyport.spi;

import java.util.Map;

/**
 * Who is asking.
 *
 * @param workload identifies the workload; empty when the proxy knows only one
 * @param source what established the identity: {@code default}, {@code proxy_auth}, {@code address_lease}, ...
 * @param attributes further facts, such as tags; immutable
 */
public record Principal(String workload, String source, Map<String, String> attributes) {

    private static final Principal ANONYMOUS = new Principal("", "default", Map.of());

    public Principal {
        attributes = Map.copyOf(attributes);
    }

    /** The principal of a proxy that serves one workload. */
    public static Principal anonymous() {
        return ANONYMOUS;
    }
}
