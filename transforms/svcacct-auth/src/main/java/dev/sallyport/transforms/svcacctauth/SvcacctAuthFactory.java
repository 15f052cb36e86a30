package dev.sallyport.transforms.svcacctauth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes {@code svcacct_auth} transforms. */
public final class SvcacctAuthFactory implements TransformFactory<SvcacctAuthConfig> {

    private static final Descriptor<SvcacctAuthConfig> DESCRIPTOR = Descriptor.of(
            "svcacct_auth",
            SvcacctAuthConfig.class,
            "Mints access tokens of cloud service accounts and puts them into requests; workloads get placeholders.");

    /** How long one call may take. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(15);

    /** Longer than a mint may take: federated credentials ask twice. */
    private static final Duration DEADLINE = CALL_TIMEOUT.multipliedBy(2).plusSeconds(5);

    @Override
    public Descriptor<SvcacctAuthConfig> descriptor() {
        return DESCRIPTOR;
    }

    @Override
    public void validate(SvcacctAuthConfig config, Problems problems) {
        new Validation(problems).check(config);
    }

    @Override
    public Map<String, Path> files(SvcacctAuthConfig config) {
        Path key = config.keyfilePath();
        return key == null ? Map.of() : Map.of("/keyfile_path", key);
    }

    /** Is asked about the destinations of the rules and about the stubs, at which it injects nothing. */
    @Override
    public Capabilities capabilities(SvcacctAuthConfig config) {
        List<Rule> scope = new ArrayList<>(config.rules());
        if (!scope.isEmpty()) {
            scope.addAll(CloudStubs.RULES);
        }
        return Capabilities.builder()
                .scope(scope)
                .effectScope(config.rules())
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.INJECTS_CREDENTIAL, Effect.CALLS_OUT, Effect.ANSWERS_LOCALLY)
                .needsFullVisibility()
                .deadline(DEADLINE)
                .build();
    }

    @Override
    public Transform create(SvcacctAuthConfig config, BuildContext context) throws ConfigException {
        DefaultChain chain = new DefaultChain(System::getenv, Path.of(System.getProperty("user.home", "")));
        return SvcacctAuth.of(config, context, chain);
    }
}
