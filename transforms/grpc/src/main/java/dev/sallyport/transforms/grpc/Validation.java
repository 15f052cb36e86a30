package dev.sallyport.transforms.grpc;

import dev.sallyport.spi.Problems;

/** Checks what the types of the configuration cannot express. */
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
            problems.add("/timeout", "zero or negative", "more than 0s");
        }
        check(config.tls());
    }

    private void check(GrpcConfig.Tls tls) {
        boolean key = tls.key() == null;
        if ((tls.cert() == null) != key) {
            problems.add(
                    key ? "/tls/key" : "/tls/cert",
                    key ? "missing although cert is set" : "missing although key is set",
                    "cert and key together, or neither");
        }
        if (!tls.enabled()) {
            tls.files()
                    .keySet()
                    .forEach(pointer ->
                            problems.add(pointer, "it has no effect because TLS is not enabled", "tls.enabled: true"));
        }
    }
}
