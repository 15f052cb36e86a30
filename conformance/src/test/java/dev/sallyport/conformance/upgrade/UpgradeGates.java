package dev.sallyport.conformance.upgrade;

import dev.sallyport.conformance.Gate;
import dev.sallyport.testsupport.TestDnsServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Proxies that let one host through and swap a credential for it. */
final class UpgradeGates {

    static final String PLACEHOLDER = "PLACEHOLDER_TOKEN";
    static final String VALUE = "the-real-token";

    private UpgradeGates() {}

    /**
     * Starts one.
     *
     * @param names where it asks for addresses
     * @param trusted the origin's certificate, or nothing
     * @param rule what the rule of the host says besides
     * @param variables settings of its own
     */
    static Gate start(
            Path folder, TestDnsServer names, String trusted, String host, String rule, Map<String, String> variables)
            throws Exception {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("TOKEN", VALUE);
        environment.put(
                "SALLYPORT_DNS_UPSTREAM_RESOLVER",
                "127.0.0.1:" + names.address().getPort());
        return new Gate(folder, trusted, environment, """
                transforms:
                  - name: allowlist
                    config: {rules: [{host: %s%s}]}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: TOKEN}
                          replace: {proxy_value: %s, match_headers: [Authorization]}
                          rules: [{host: %s}]
                """.formatted(host, rule, PLACEHOLDER, host));
    }
}
