package dev.sallyport.server.otlp;

import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.server.Home;
import dev.sallyport.spi.HttpCall;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the variables of OpenTelemetry (docs/opentelemetry.md; docs/spec/decisions.md, section 14). Those of a signal that
 * is not exported are not looked at.
 */
final class OtlpEnvironment {

    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String GENERAL = "OTEL_EXPORTER_OTLP_";
    private static final String SERVICE_NAME = "sallyport";
    private static final String OTLP = "otlp";
    private static final String NONE = "none";
    private static final int HTTP_PORT = 4318;
    private static final int GRPC_PORT = 4317;
    private static final int DEFAULT_TIMEOUT_MILLIS = 10_000;
    private static final int LONGEST_TIMEOUT_MILLIS = 600_000;
    private static final int DEFAULT_QUEUE = 65_536;
    private static final int LARGEST_QUEUE = 4_194_304;
    private static final int DEFAULT_BATCH = 512;
    private static final int LARGEST_BATCH = 16_384;
    private static final int DEFAULT_DELAY_MILLIS = 1000;
    private static final int DEFAULT_INTERVAL_MILLIS = 60_000;

    /** Served whatever is exported: {@code metrics.listen}. */
    private static final Set<String> KNOWN = Set.of(OTLP, NONE, "prometheus");

    private final Variables variables;

    /** What was read. */
    record Outcome(OtlpSettings settings, List<String> problems, List<String> warnings) {}

    private OtlpEnvironment(Map<String, String> environment) {
        this.variables = new Variables(environment);
    }

    static Outcome read(Map<String, String> environment) {
        OtlpEnvironment reader = new OtlpEnvironment(environment);
        OtlpSettings settings = reader.settings();
        return new Outcome(settings, reader.variables.problems(), reader.variables.warnings());
    }

    private OtlpSettings settings() {
        boolean disabled = "true".equalsIgnoreCase(variables.get("OTEL_SDK_DISABLED"));
        Target logs = disabled ? null : target(Signal.LOGS);
        Target metrics = disabled ? null : target(Signal.METRICS);
        Target traces = disabled ? null : target(Signal.TRACES);
        boolean any = logs != null || metrics != null || traces != null;
        return new OtlpSettings(
                logs,
                metrics,
                traces,
                any ? resource() : Resource.empty(),
                batching(Signal.LOGS, logs != null),
                batching(Signal.TRACES, traces != null),
                traces == null ? null : sampler(),
                Duration.ofMillis(
                        metrics == null
                                ? DEFAULT_INTERVAL_MILLIS
                                : variables.number(
                                        "OTEL_METRIC_EXPORT_INTERVAL", DEFAULT_INTERVAL_MILLIS, 100, 86_400_000)),
                metrics == null ? OtlpSettings.Temporality.CUMULATIVE : temporality());
    }

    private OtlpSettings.Temporality temporality() {
        return variables.choice(
                "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
                OtlpSettings.Temporality.CUMULATIVE,
                Map.of(
                        "cumulative",
                        OtlpSettings.Temporality.CUMULATIVE,
                        "delta",
                        OtlpSettings.Temporality.DELTA,
                        "lowmemory",
                        OtlpSettings.Temporality.LOWMEMORY));
    }

    private @Nullable Target target(Signal signal) {
        if (!isOn(signal)) {
            return null;
        }
        boolean grpc = variables.choice(named(signal, "PROTOCOL"), false, Map.of("http/protobuf", false, "grpc", true));
        boolean gzip = variables.choice(named(signal, "COMPRESSION"), false, Map.of("gzip", true, NONE, false));
        int timeout = variables.number(named(signal, "TIMEOUT"), DEFAULT_TIMEOUT_MILLIS, 1, LONGEST_TIMEOUT_MILLIS);
        for (String client : List.of("CLIENT_KEY", "CLIENT_CERTIFICATE")) {
            if (variables.get(named(signal, client)) != null) {
                variables.problem(named(signal, client), "certificates of clients are not supported", "unset");
            }
        }
        URI endpoint = endpoint(signal, grpc);
        TrustRoots roots = roots(named(signal, "CERTIFICATE"));
        Map<String, String> headers = variables.pairs(named(signal, "HEADERS"), header -> headerFault(header, grpc));
        return endpoint == null
                ? null
                : new Target(signal, grpc, endpoint, headers, gzip, Duration.ofMillis(timeout), roots);
    }

    private boolean isOn(Signal signal) {
        String chosen = variables.get(signal.exporterVariable());
        String own = variables.get(signal.variable("ENDPOINT"));
        boolean general = variables.get(ENDPOINT) != null;
        if (chosen == null) {
            return own != null || (general && signal == Signal.LOGS);
        }
        List<String> names = Arrays.stream(chosen.split(",")).map(String::strip).toList();
        if (!KNOWN.containsAll(names)) {
            variables.warn(
                    signal.exporterVariable(), "names an exporter that this build does not have", OTLP + " or " + NONE);
        }
        if (!names.contains(OTLP)) {
            return false;
        }
        if (signal == Signal.LOGS && own == null && !general) {
            variables.warn(
                    signal.exporterVariable(), "no logs are exported, because no endpoint is set", ENDPOINT + " too");
            return false;
        }
        return true;
    }

    /** The name of a variable: the signal's own where it is set. */
    private String named(Signal signal, String name) {
        String set = variables.first(signal.variable(name));
        return set == null ? GENERAL + name : set;
    }

    private @Nullable URI endpoint(Signal signal, boolean grpc) {
        String variable = variables.first(signal.variable("ENDPOINT"), ENDPOINT);
        if (variable == null) {
            String text = "http://localhost:" + (grpc ? GRPC_PORT : HTTP_PORT + "/" + signal.path());
            return URI.create(text);
        }
        String text = String.valueOf(variables.get(variable));
        URI uri = uri(variable, text);
        if (uri == null || grpc || !variable.equals(ENDPOINT)) {
            return uri;
        }
        return URI.create(text + (text.endsWith("/") ? "" : "/") + signal.path());
    }

    /** The value is not repeated: somebody may have put a password into it. */
    private @Nullable URI uri(String variable, String text) {
        String expected = "http://host:port or https://host:port";
        try {
            URI uri = new URI(text);
            String scheme = uri.getScheme();
            if (scheme == null || !scheme.matches("(?i)https?") || HttpCall.hostOf(uri) == null) {
                variables.problem(variable, "not an http or https URL with a host", expected);
            } else if (uri.getRawUserInfo() != null) {
                variables.problem(
                        variable,
                        "holds a user name or password",
                        expected + "; credentials belong in " + GENERAL + "HEADERS");
            } else if (uri.getRawFragment() != null || uri.getRawQuery() != null) {
                variables.problem(variable, "holds a query or a fragment", expected);
            } else if (HttpCall.portOf(uri) < 1 || HttpCall.portOf(uri) > 65_535) {
                variables.problem(variable, "the port is none", "1 to 65535");
            } else {
                return uri;
            }
        } catch (URISyntaxException e) {
            variables.problem(variable, "not a URL", expected);
        }
        return null;
    }

    private @Nullable TrustRoots roots(String variable) {
        String file = variables.get(variable);
        if (file == null) {
            return null;
        }
        try {
            return TrustRoots.of(Path.of(file));
        } catch (TlsMaterialException e) {
            variables.problem(variable, e.file() + ": " + e.problem(), "a PEM file of certificates");
        } catch (InvalidPathException e) {
            variables.problem(variable, "not a path", "a PEM file of certificates");
        }
        return null;
    }

    private static @Nullable String headerFault(Map.Entry<String, String> header, boolean grpc) {
        if (!header.getKey().matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
            return "has a key that is no name of a header";
        }
        if (grpc && !header.getKey().matches("(?i)(?!grpc-)(?!.*-bin$)[0-9a-z_.-]+")) {
            return "has a key that gRPC does not take";
        }
        return header.getValue().chars().allMatch(c -> c >= ' ' && c < 127)
                ? null
                : "has a value that no header can hold";
    }

    private Batching batching(Signal signal, boolean on) {
        long bytes = Batching.bytesFor(Runtime.getRuntime().maxMemory());
        if (!on) {
            return new Batching(DEFAULT_QUEUE, bytes, DEFAULT_BATCH, Duration.ofMillis(DEFAULT_DELAY_MILLIS));
        }
        int queue = variables.number(signal.queueVariable("MAX_QUEUE_SIZE"), DEFAULT_QUEUE, 1, LARGEST_QUEUE);
        return new Batching(
                queue,
                bytes,
                Math.min(
                        queue,
                        variables.number(
                                signal.queueVariable("MAX_EXPORT_BATCH_SIZE"), DEFAULT_BATCH, 1, LARGEST_BATCH)),
                Duration.ofMillis(variables.number(
                        signal.queueVariable("SCHEDULE_DELAY"), DEFAULT_DELAY_MILLIS, 0, LONGEST_TIMEOUT_MILLIS)));
    }

    private Resource resource() {
        AttributesBuilder attributes = Attributes.builder()
                .put("service.name", SERVICE_NAME)
                .put("service.version", Home.version())
                .put("service.instance.id", UUID.randomUUID().toString());
        variables.pairs("OTEL_RESOURCE_ATTRIBUTES", pair -> null).forEach(attributes::put);
        String name = variables.get("OTEL_SERVICE_NAME");
        if (name != null) {
            attributes.put(AttributeKey.stringKey("service.name"), name);
        }
        return Resource.create(attributes.build());
    }

    private Sampler sampler() {
        String variable = "OTEL_TRACES_SAMPLER";
        String chosen = variables.choice(
                variable,
                "parentbased_always_on",
                Map.of(
                        "always_on", "always_on",
                        "always_off", "always_off",
                        "traceidratio", "traceidratio",
                        "parentbased_always_on", "parentbased_always_on",
                        "parentbased_always_off", "parentbased_always_off",
                        "parentbased_traceidratio", "parentbased_traceidratio"));
        Sampler root = switch (chosen.replace("parentbased_", "")) {
            case "always_off" -> Sampler.alwaysOff();
            case "traceidratio" -> Sampler.traceIdRatioBased(ratio("OTEL_TRACES_SAMPLER_ARG"));
            default -> Sampler.alwaysOn();
        };
        return chosen.startsWith("parentbased_") ? Sampler.parentBased(root) : root;
    }

    private double ratio(String variable) {
        String value = variables.get(variable);
        if (value == null) {
            return 1;
        }
        if (value.matches("0|1|[01]?\\.[0-9]{1,17}")) {
            double ratio = Double.parseDouble(value);
            if (ratio <= 1) {
                return ratio;
            }
        }
        variables.problem(variable, "not a ratio", "0 to 1, such as 0.25");
        return 1;
    }
}
