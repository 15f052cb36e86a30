package dev.sallyport.control;

import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.control.feed.EmbeddedEvents;
import dev.sallyport.control.model.Tags;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.CompanionFactory;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.IpRange;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the control plane of section {@code control}, in the process of a proxy. */
public final class ControlFactory implements CompanionFactory<ControlConfig> {

    /** The name of the section. */
    static final String SECTION = "control";

    private static final String VARIABLE = "[A-Za-z_][A-Za-z0-9_]*";

    private final PasswordCost passwords;

    /** For the service loader: with hashes of passwords at the standard cost. */
    public ControlFactory() {
        this(PasswordCost.STANDARD);
    }

    /** @param passwords what new hashes of passwords cost */
    public ControlFactory(PasswordCost passwords) {
        this.passwords = passwords;
    }

    @Override
    public String section() {
        return SECTION;
    }

    @Override
    public Class<ControlConfig> configType() {
        return ControlConfig.class;
    }

    @Override
    public String summary() {
        return "The control plane: accounts, keys and policies, over HTTP.";
    }

    @Override
    public void validate(ControlConfig config, Problems problems) {
        if (!config.isLoopback() && config.tls() == null && !config.insecureHttp()) {
            problems.add(
                    "/listen",
                    "unencrypted HTTP on another address than loopback",
                    "tls, or insecure_http: true behind a proxy that adds TLS");
        }
        if (config.baseUrl() != null && !isBaseUrl(config.baseUrl())) {
            boolean slash = isBaseUrl(config.baseUrl().replaceAll("/+$", ""));
            problems.add(
                    "/base_url",
                    slash ? "a slash at its end" : "not the address of a site",
                    "such as https://control.example.com" + (slash ? ", without one" : ""));
        }
        String url = config.database().url();
        if (url != null && !StoreSettings.isKnown(url)) {
            problems.add("/database/url", "not a database that it knows", "jdbc:sqlite:... or jdbc:postgresql://...");
        }
        encryption(config.encryption(), problems);
        if (!config.defaultAccount().matches("first|none|org_[0-9a-z]{26}")) {
            problems.add("/default_account", "not an account", "first, none, or the id of an organization");
        }
        for (int i = 0; i < config.tags().size(); i++) {
            if (!Tags.isTag(config.tags().get(i))) {
                problems.add("/tags/" + i, "not a tag", Tags.EXPECTED);
            }
        }
        for (int i = 0; i < config.policySources().size(); i++) {
            if (!config.policySources().get(i).matches("(env|cloud_sm|cloud_ssm):.+")) {
                problems.add("/policy_sources/" + i, "not a source", "env:NAME, cloud_sm:NAME or cloud_ssm:NAME");
            }
        }
        variables(config).forEach((pointer, name) -> {
            if (!name.matches(VARIABLE)) {
                problems.add(pointer, "not the name of a variable", "letters, digits and underscores");
            }
        });
        SandboxParts.check(config.sandboxes(), problems);
        ControlConfig.Mail mail = config.mail();
        if (mail != null) {
            if ((mail.usernameEnv() == null) != (mail.passwordEnv() == null)) {
                problems.add("/mail", "only one of username_env and password_env is set", "both or none");
            }
            if (!mail.from().matches("[^@\\s<>]+@[^@\\s<>]+")) {
                problems.add("/mail/from", "not an e-mail address", "such as sallyport@example.com");
            }
        }
    }

    @Override
    public Map<String, String> variables(ControlConfig config) {
        ControlConfig.Mail mail = config.mail();
        Map<String, String> named = new LinkedHashMap<>();
        name("/database/user_env", config.database().userEnv(), named);
        name("/database/password_env", config.database().passwordEnv(), named);
        name("/encryption/key_env", config.encryption().keyEnv(), named);
        if (mail != null) {
            name("/mail/username_env", mail.usernameEnv(), named);
            name("/mail/password_env", mail.passwordEnv(), named);
        }
        return named;
    }

    private static void encryption(ControlConfig.Encryption encryption, Problems problems) {
        Map<String, Boolean> set = new LinkedHashMap<>();
        set.put("key_file", encryption.keyFile() != null);
        set.put("key_env", encryption.keyEnv() != null);
        set.put("kms_key_id", encryption.kmsKeyId() != null);
        List<String> names = set.keySet().stream()
                .filter(name -> Boolean.TRUE.equals(set.get(name)))
                .toList();
        if (names.size() > 1) {
            problems.add(
                    "/encryption",
                    (names.size() == 2 ? "both " : "") + String.join(" and ", names) + " are set",
                    "one of them");
        }
        String kms = encryption.kmsKeyId();
        if (kms != null && !kms.matches("[A-Za-z0-9:/_-]{1,2048}")) {
            problems.add("/encryption/kms_key_id", "not a key of AWS KMS", "its identifier, ARN or alias");
        }
    }

    private static void name(String pointer, @Nullable String variable, Map<String, String> named) {
        if (variable != null) {
            named.put(pointer, variable);
        }
    }

    private static boolean isBaseUrl(String text) {
        try {
            URI uri = new URI(text);
            return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null
                    && !text.endsWith("/");
        } catch (URISyntaxException e) {
            return false;
        }
    }

    @Override
    public void doubts(ControlConfig config, Problems doubts) {
        if (!config.isLoopback() && config.signUp() == ControlConfig.SignUp.OPEN) {
            doubts.add("/sign_up", "anybody who can connect may sign up", "closed, unless that is meant");
        }
        String url = config.baseUrl();
        SandboxParts.doubts(config.sandboxes(), url != null && isBaseUrl(url) ? url : null, doubts);
    }

    @Override
    public Map<String, Path> files(ControlConfig config) {
        Map<String, Path> files = new LinkedHashMap<>();
        if (config.tls() != null) {
            files.put("/tls/cert", config.tls().cert());
            files.put("/tls/key", config.tls().key());
        }
        return files;
    }

    @Override
    public Map<String, ListenAddress> listeners(ControlConfig config) {
        return Map.of("/listen", config.listen());
    }

    /** Accounts write their rules themselves, and none of these is to lead to the guests of another one. */
    @Override
    public Map<String, IpRange> unreachable(ControlConfig config) {
        return Map.of("/sandboxes/subnet", config.sandboxes().subnet());
    }

    /** Where sandboxd is asked for: with {@code auto} there may be none. */
    @Override
    public Map<String, IpRange> steered(ControlConfig config) {
        return SandboxParts.isOfSandboxd(config.sandboxes())
                        && config.sandboxes().sandboxd().gatePort() == null
                ? unreachable(config)
                : Map.of();
    }

    @Override
    public boolean deliversPolicy(ControlConfig config) {
        return true;
    }

    @Override
    public Companion create(ControlConfig config, CompanionContext context) throws ConfigException {
        return new ControlPlane(
                config,
                new Surroundings(
                        context::environment,
                        context.telemetry(),
                        Clock.systemUTC(),
                        new Surroundings.Proxy(
                                context.pipelines(),
                                new EmbeddedEvents(context.audit()),
                                context::deniedRanges,
                                new Surroundings.Program(
                                        context.program(),
                                        context.file(),
                                        context.isGiven("/" + SECTION + "/sandboxes"))),
                        passwords));
    }
}
