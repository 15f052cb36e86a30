package dev.sallyport.feed;

import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.CompanionFactory;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes a proxy follow a control plane elsewhere: section {@code control_plane}. */
public final class FeedFactory implements CompanionFactory<ControlPlaneConfig> {

    private static final long LEAST_SPOOL = 1L << 20;
    private static final CacheKeeper.Patience FOR_KEYS =
            new CacheKeeper.Patience(Duration.ofSeconds(5), Duration.ofSeconds(30));

    private static final String TOKEN_ENV = "/token_env";

    /** How the token of a proxy begins that accounts share. */
    private static final String SHARED = "sp_shared_";

    /** For the service loader. */
    public FeedFactory() {}

    @Override
    public String section() {
        return "control_plane";
    }

    @Override
    public Class<ControlPlaneConfig> configType() {
        return ControlPlaneConfig.class;
    }

    @Override
    public String summary() {
        return "A control plane elsewhere, whose policies this proxy follows.";
    }

    @Override
    public void validate(ControlPlaneConfig config, Problems problems) {
        URI url = uri(config.url());
        if (url == null) {
            problems.add("/url", "not the address of a control plane", "such as https://control.example.com");
        } else if (url.getScheme().equals("http") && !isLoopback(url.getHost())) {
            problems.add("/url", "unencrypted HTTP to another address than loopback", "https");
        }
        if (!config.tokenEnv().matches("[A-Za-z_][A-Za-z0-9_]*")) {
            problems.add(TOKEN_ENV, "not the name of a variable", "letters, digits and underscores");
        }
        if (config.cacheKeyFile() != null && config.cacheDir() == null) {
            problems.add("/cache_key_file", "a key without a cache", "cache_dir, too");
        }
        kms(config, problems);
        if (config.spoolCapacity() < LEAST_SPOOL) {
            problems.add("/spool_bytes", "too little for events to wait", "1MiB or more");
        }
    }

    private static void kms(ControlPlaneConfig config, Problems problems) {
        String id = config.cacheKmsKeyId();
        if (id == null) {
            return;
        }
        if (config.cacheDir() == null) {
            problems.add("/cache_kms_key_id", "a key without a cache", "cache_dir, too");
        }
        if (config.cacheKeyFile() != null) {
            problems.add("/cache_kms_key_id", "cache_key_file is set, too", "one of them");
        }
        if (!id.matches("[A-Za-z0-9:/_-]{1,2048}")) {
            problems.add("/cache_kms_key_id", "not a key of AWS KMS", "its identifier, ARN or alias");
        }
    }

    @Override
    public Map<String, Path> files(ControlPlaneConfig config) {
        return config.caCert() == null ? Map.of() : Map.of("/ca_cert", config.caCert());
    }

    @Override
    public Map<String, String> variables(ControlPlaneConfig config) {
        return Map.of(TOKEN_ENV, config.tokenEnv());
    }

    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }

    static @Nullable URI uri(String text) {
        try {
            URI uri = new URI(text);
            boolean good = ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && !text.endsWith("/");
            return good ? uri : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    @Override
    public boolean deliversPolicy(ControlPlaneConfig config) {
        return true;
    }

    @Override
    public Companion create(ControlPlaneConfig config, CompanionContext context) throws ConfigException {
        String token = context.environment(config.tokenEnv());
        if (token == null || token.isBlank()) {
            throw new ConfigException(
                    TOKEN_ENV, "the variable " + config.tokenEnv() + " is not set", "the token of this proxy");
        }
        String stripped = token.strip();
        ControlPlaneConnection connection = ControlPlaneConnection.to(config, stripped);
        CacheKeeper keeper = keeper(config, connection);
        BootKey key = BootKey.make();
        EventAccounts accounts;
        Follower follower;
        if (stripped.startsWith(SHARED)) {
            HeldAccounts held = new HeldAccounts(config, context.pipelines());
            accounts = held;
            follower = new AccountsFollower(config, held, connection, key, keeper);
        } else {
            accounts = EventAccounts.OF_THE_PROXY;
            follower = new PipelineFollower(config, new HeldPolicy(config, context), connection, key, keeper);
        }
        return new FeedClient(
                connection,
                follower,
                key,
                new FeedClient.Parts(
                        new EventDelivery(config, context, connection, accounts),
                        new HeadReporter(context.audit(), connection),
                        keeper));
    }

    private static @Nullable CacheKeeper keeper(ControlPlaneConfig config, ControlPlaneConnection connection)
            throws ConfigException {
        Path folder = config.cacheDir();
        return folder == null ? null : new CacheKeeper(folder, CacheKey.of(config), connection.identity(), FOR_KEYS);
    }
}
