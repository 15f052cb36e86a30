package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.SecretRef;
import java.nio.file.Path;
import java.util.List;

/** One of {@code tls.client_certificates}: what origins are shown that ask for a certificate. */
public record ClientCertificate(
        @JsonProperty(required = true)
        @JsonPropertyDescription("The origins that it is for; rules without methods and paths.")
        List<Rule> rules,

        @JsonProperty(required = true)
        @JsonPropertyDescription("Path of the certificate, PEM, with those of its issuers behind it if need be.")
        Path cert,

        @JsonProperty(required = true) @JsonPropertyDescription("Source of its private key, PEM.")
        SecretRef key)
        implements SelfValidating {

    public ClientCertificate {
        rules = List.copyOf(rules);
    }

    @Override
    public void check(Problems problems) {
        if (rules.isEmpty()) {
            problems.add("/rules", "an empty list", "at least one rule");
        }
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            if (!rule.methods().isEmpty() || !rule.paths().isEmpty()) {
                problems.add(
                        "/rules/" + i,
                        "a certificate is shown before there is a request",
                        "a rule without methods and paths");
            }
        }
    }
}
