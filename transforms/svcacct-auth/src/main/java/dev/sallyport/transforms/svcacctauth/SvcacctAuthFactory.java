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

/** Makes {@code svcacct_auth} transforms, also called {@code gcp_auth}. */
public final class SvcacctAuthFactory implements TransformFactory<SvcacctAuthConfig> {

    private static final Descriptor<SvcacctAuthConfig> DESCRIPTOR = Descriptor.of(
                    "svcacct_auth",
                    SvcacctAuthConfig.class,
                    "Mints access tokens of cloud service accounts and puts them into requests; workloads get placeholders.")
            .alsoNamed("gcp_auth");

    /** Time limit of one call. */
    static final Duration CALL_TIMEOUT = Duration.ofSeconds(15);

    /** Longer than a mint may take: federated credentials need two calls. */
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

    /** Covers the destinations of the rules and the stubs; it injects nothing at the latter. */
    @Override
    public Capabilities capabilities(SvcacctAuthConfig config) {
        List<Rule> scope = new ArrayList<>(config.rules());
        if (!scope.isEmpty()) {
            scope.addAll(CloudStubs.RULES);
        }
        return TokenInjection.capabilities(scope, config.rules(), DEADLINE);
    }

    @Override
    public Transform create(SvcacctAuthConfig config, BuildContext context) throws ConfigException {
        DefaultChain chain = new DefaultChain(System::getenv, Path.of(System.getProperty("user.home", "")));
        return SvcacctAuth.of(config, context, chain);
    }
}
