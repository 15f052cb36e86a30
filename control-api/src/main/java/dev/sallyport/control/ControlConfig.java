package dev.sallyport.control;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.Range;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.spi.NoSecret;
import dev.sallyport.toolkit.match.IpRange;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code control}.
 *
 * @param baseUrl null for the address that it listens on
 * @param tls null for none
 * @param mail null to write links to the log
 */
public record ControlConfig(
        @JsonProperty(required = true) @JsonPropertyDescription("Address of the control plane.")
        ListenAddress listen,

        @JsonPropertyDescription(
                "Address under which clients know it, for links, such as `https://control.example.com`. The address that it listens on when unset.")
        @Nullable String baseUrl,

        @JsonPropertyDescription("Its certificate and key; required on other addresses than loopback.") @Nullable Tls tls,

        @JsonProperty(defaultValue = "false")
        @JsonPropertyDescription(
                "Allow unencrypted HTTP on other addresses than loopback, for example behind a proxy that adds TLS.")
        boolean insecureHttp,

        @JsonProperty(defaultValue = "[]")
        @JsonPropertyDescription(
                "Ranges of the proxies in front of it. Of requests from there, `X-Forwarded-For` tells the client: its last address that is not one of them. Limits and records use it.")
        List<IpRange> trustedProxies,

        @JsonProperty(defaultValue = ".sallyport/control")
        @JsonPropertyDescription("Folder of its state, made with mode 0700.")
        Path stateDir,

        @JsonPropertyDescription("The database.") Database database,

        @JsonPropertyDescription("The key with which values are encrypted in the database.")
        Encryption encryption,

        @JsonProperty(defaultValue = "open")
        @JsonPropertyDescription("Whether anybody may sign up; `sallyport control add-user` works in any case.")
        SignUp signUp,

        @JsonPropertyDescription("The server for mail. Links are written to the log when unset.") @Nullable Mail mail,

        @JsonPropertyDescription("How many requests clients may make.")
        RateLimits rateLimits,

        @JsonPropertyDescription(
                "How many proxies may connect, and how many events they may deliver; others are told to come again.")
        Feed feed,

        @JsonPropertyDescription(
                "Tags that the proxy of the same process carries: it gets the policies whose tags are all among them.")
        List<String> tags,

        @JsonProperty(defaultValue = "first")
        @JsonPropertyDescription(
                "Whose policies callers of no workload have at the proxy of the same process: those of the account that signed up `first`; those of the organization of an id; or `none`, and they are refused.")
        String defaultAccount,

        @JsonProperty(defaultValue = "[]")
        @JsonPropertyDescription(
                "Sources that secret policies of all accounts may read at the proxies of the installation, such as `env:SHARED_KEY`, `cloud_sm:NAME` or `cloud_ssm:NAME`. The account that signed up first may read all.")
        List<String> policySources,

        @JsonPropertyDescription("VMs that users make.") SandboxConfig sandboxes,

        @JsonProperty(defaultValue = "90")
        @Range(min = "1", max = "36500")
        @JsonPropertyDescription("How many days administrative records and events are kept.")
        int retentionDays,

        @JsonProperty(defaultValue = "400")
        @Range(min = "1", max = "36500")
        @JsonPropertyDescription("How many days it is kept how many requests there were in each hour.")
        int rollupDays)
        implements SandboxdOptions {

    private static final Pattern LOOPBACK = Pattern.compile("127(\\.[0-9]{1,3}){3}");

    public ControlConfig {
        trustedProxies = List.copyOf(trustedProxies);
        tags = List.copyOf(tags);
        policySources = List.copyOf(policySources);
    }

    @Override
    public Optional<Map<String, String>> sandboxd(Gate gate) {
        return SandboxdConfig.options(sandboxes, gate);
    }

    /** Whether anybody may sign up. */
    public enum SignUp {
        /** Yes. */
        OPEN,
        /** No. */
        CLOSED
    }

    /** Certificate and key. */
    public record Tls(
            @JsonProperty(required = true) @JsonPropertyDescription("Path of the certificate chain, in PEM.")
            Path cert,

            @NoSecret
            @JsonProperty(required = true)
            @JsonPropertyDescription("Path of its private key, in PEM (PKCS#8).")
            Path key) {}

    /**
     * The database.
     *
     * @param url null for SQLite in the state folder
     */
    public record Database(
            @JsonPropertyDescription(
                    "`jdbc:sqlite:PATH` or `jdbc:postgresql://HOST/NAME`. A file in `state_dir` when unset.")
            @Nullable String url,

            @JsonPropertyDescription("Environment variable that holds the user name.") @Nullable String userEnv,

            @NoSecret @JsonPropertyDescription("Environment variable that holds the password.") @Nullable String passwordEnv) {}

    /** The key; a file in the state folder when nothing is set. */
    public record Encryption(
            @NoSecret
            @JsonPropertyDescription(
                    "Path of the key, made with mode 0600 if it is not there. `encryption.key` in `state_dir` when unset.")
            @Nullable Path keyFile,

            @NoSecret
            @JsonPropertyDescription("Environment variable that holds the text of such a file, instead of a file.")
            @Nullable String keyEnv,

            @NoSecret
            @JsonPropertyDescription(
                    "Key of AWS KMS that encrypts the key, which the database then holds: its identifier, ARN or alias. Credentials and region are found as the AWS SDK does.")
            @Nullable String kmsKeyId) {}

    /** A mail server. */
    public record Mail(
            @JsonProperty(required = true) @JsonPropertyDescription("Name of the server.")
            String smtpHost,

            @JsonProperty(defaultValue = "587") @Range(min = "1", max = "65535") @JsonPropertyDescription("Its port.")
            int smtpPort,

            @JsonPropertyDescription("Environment variable that holds the user name.") @Nullable String usernameEnv,

            @NoSecret @JsonPropertyDescription("Environment variable that holds the password.") @Nullable String passwordEnv,

            @JsonProperty(required = true) @JsonPropertyDescription("Address of the sender.")
            String from,

            @JsonProperty(defaultValue = "true") @JsonPropertyDescription("Insist on STARTTLS.")
            boolean starttls) {}

    /** How many requests. */
    public record RateLimits(
            @NoSecret
            @JsonProperty(defaultValue = "6000")
            @Range(min = "1")
            @JsonPropertyDescription("Requests a minute with one key.")
            int keyPerMinute,

            @NoSecret
            @JsonProperty(defaultValue = "1000")
            @Range(min = "1")
            @JsonPropertyDescription("Requests at once with one key.")
            int keyBurst,

            @JsonProperty(defaultValue = "300")
            @Range(min = "1")
            @JsonPropertyDescription("Requests a minute, and at once, of an address without a key.")
            int addressPerMinute,

            @JsonProperty(defaultValue = "5")
            @Range(min = "1")
            @JsonPropertyDescription("Polls of device codes a second of an address.")
            int pollPerSecond,

            @JsonProperty(defaultValue = "20")
            @Range(min = "1")
            @JsonPropertyDescription("Polls of device codes at once of an address.")
            int pollBurst,

            @JsonProperty(defaultValue = "10")
            @Range(min = "1")
            @JsonPropertyDescription("Sign-ups an hour, and at once, of an address.")
            int signUpsPerHour) {}

    /** How proxies elsewhere are let in. */
    public record Feed(
            @JsonProperty(defaultValue = "250")
            @Range(min = "1")
            @JsonPropertyDescription("Proxies that connect a second, all together.")
            int connectsPerSecond,

            @JsonProperty(defaultValue = "500")
            @Range(min = "1")
            @JsonPropertyDescription("Proxies that connect at once, all together.")
            int connectBurst,

            @JsonProperty(defaultValue = "5000")
            @Range(min = "1")
            @JsonPropertyDescription("Events of egress a second that the proxies of an organization deliver.")
            int eventsPerSecond,

            @JsonProperty(defaultValue = "50000")
            @Range(min = "1")
            @JsonPropertyDescription("Events of egress that they deliver at once.")
            int eventsBurst) {}

    /** Whether only this machine can connect. */
    boolean isLoopback() {
        String host = listen.host();
        return host.equals("localhost") || LOOPBACK.matcher(host).matches() || host.equals("::1");
    }

    /** Whether clients reach it over TLS, be it that of a proxy in front. */
    boolean isSecure() {
        return tls != null || (baseUrl != null && baseUrl.startsWith("https://"));
    }

    /** Whether it listens on every address of the machine. */
    boolean isAnyAddress() {
        return listen.host().isEmpty()
                || listen.host().equals("0.0.0.0")
                || listen.host().equals("::");
    }
}
