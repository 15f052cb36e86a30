package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Problems;

/** Finds what types cannot express. */
final class Validation {

    private final Problems problems;

    Validation(Problems problems) {
        this.problems = problems;
    }

    void check(GrpcConfig config) {
        if (config.name().isBlank()) {
            problems.add("/name", "empty", "a name for the audit log");
        }
        try {
            Target.parse(config.target());
        } catch (Target.MalformedException e) {
            problems.add("/target", e.problem(), e.expected());
        }
        if (!config.timeout().isPositive()) {
            problems.add("/timeout", "no time at all", "more than 0s");
        }
        check(config.tls());
    }

    private void check(GrpcConfig.Tls tls) {
        if (tls.cert().isEmpty() != tls.key().isEmpty()) {
            boolean key = tls.key().isEmpty();
            problems.add(
                    key ? "/tls/key" : "/tls/cert",
                    key ? "missing beside cert" : "missing beside key",
                    "cert and key together, or neither");
        }
        if (!tls.enabled()) {
            unused("/tls/ca_cert", tls.caCert());
            unused("/tls/cert", tls.cert());
            unused("/tls/key", tls.key());
        }
    }

    private void unused(String pointer, String file) {
        if (!file.isEmpty()) {
            problems.add(pointer, "without effect, because TLS is not enabled", "tls.enabled: true beside it");
        }
    }
}
