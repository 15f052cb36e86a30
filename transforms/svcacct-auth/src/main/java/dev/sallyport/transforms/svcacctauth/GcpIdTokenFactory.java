package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import dev.sallyport.toolkit.token.TokenInjection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes {@code gcp_id_token} transforms. */
public final class GcpIdTokenFactory implements TransformFactory<GcpIdTokenConfig> {

    private static final Descriptor<GcpIdTokenConfig> DESCRIPTOR = Descriptor.of(
            "gcp_id_token",
            GcpIdTokenConfig.class,
            "Mints ID tokens of Google service accounts for an audience and puts them into requests.");

    private static final Duration DEADLINE = SvcacctAuthFactory.CALL_TIMEOUT.plusSeconds(5);

    @Override
    public Descriptor<GcpIdTokenConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(GcpIdTokenConfig config, Problems problems) {
        if ((config.keyfilePath() == null) == (config.keyfile() == null)) {
            problems.add(
                    "",
                    config.keyfile() == null ? "no credentials" : "more than one kind of credentials",
                    "exactly one of keyfile_path, keyfile");
        }
        if (config.audience().isBlank() || config.audience().chars().anyMatch(c -> c < ' ' || c == 0x7F)) {
            problems.add("/audience", "not an audience", "a URL such as https://service-abc.a.run.app, or a client id");
        }
        if (config.rules().isEmpty()) {
            problems.add("/rules", "no rule", "at least one rule");
        }
    }

    @Override
    public Map<String, Path> files(GcpIdTokenConfig config) {
        Path key = config.keyfilePath();
        return key == null ? Map.of() : Map.of("/keyfile_path", key);
    }

    /** Is asked about the destinations of the rules and about the metadata server, at which it injects nothing. */
    @Override
    public Capabilities capabilities(GcpIdTokenConfig config) {
        List<Rule> scope = new ArrayList<>(config.rules());
        scope.addAll(CloudStubs.METADATA_RULES);
        return TokenInjection.capabilities(scope, config.rules(), DEADLINE);
    }

    @Override
    public Transform create(GcpIdTokenConfig config, BuildContext context) throws ConfigException {
        return GcpIdToken.of(config, context);
    }
}
