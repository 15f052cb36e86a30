package dev.sallyport.sources.vault;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs {@code op read}, after the vendor's descriptions of <a
 * href="https://developer.1password.com/docs/cli/reference/commands/read">the command</a> and of <a
 * href="https://developer.1password.com/docs/cli/environment-variables">its environment variables</a>. Only the
 * environment of that process contains the token.
 */
record CommandSource(
        SecretReference reference, String tokenEnv, String command, SourceContext context, ProgramRun.Limits limits)
        implements SecretSource {

    /**
     * The variables of the proxy's environment that the command may need: the place of its files, and its way to the
     * vendor.
     */
    private static final List<String> INHERITED = List.of(
            "PATH",
            "HOME",
            "TMPDIR",
            "XDG_CONFIG_HOME",
            "OP_CONFIG_DIR",
            "HTTPS_PROXY",
            "https_proxy",
            "HTTP_PROXY",
            "http_proxy",
            "NO_PROXY",
            "no_proxy",
            "SSL_CERT_FILE",
            "SSL_CERT_DIR");

    @Override
    public String name() {
        return reference.text();
    }

    @Override
    public SecretValue read() throws SecretException, InterruptedException {
        try {
            return run();
        } catch (SecretException e) {
            throw new SecretException(context.type() + " " + name() + ": " + e.getMessage());
        }
    }

    private SecretValue run() throws SecretException, InterruptedException {
        String token = Fields.token(tokenEnv, context);
        Path program = Programs.find(command, context.environment("PATH"));
        ProgramRun.Outcome outcome =
                ProgramRun.of(List.of(program.toString(), "read", "--no-newline", told()), environment(token), limits);
        byte[] output = outcome.output();
        try {
            if (outcome.exit() != 0) {
                throw new SecretException(command + " ended with " + outcome.exit() + ": "
                        + ErrorOutput.of(outcome.errorOutput(), token, output));
            }
            if (output.length == 0) {
                throw new SecretException("it is empty");
            }
            return SecretValue.of(output);
        } finally {
            Arrays.fill(output, (byte) 0);
        }
    }

    /** The reference in the command's form: names are not encoded. */
    private String told() {
        String path = "op://" + String.join("/", reference.parts());
        return reference.query().isEmpty() ? path : path + "?" + reference.query();
    }

    private Map<String, String> environment(String token) {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String variable : INHERITED) {
            String value = context.environment(variable);
            if (value != null) {
                variables.put(variable, value);
            }
        }
        variables.putAll(context.proxyVariables());
        variables.put("OP_SERVICE_ACCOUNT_TOKEN", token);
        // Each read must see the current value, and no process may stay behind to cache it.
        variables.put("OP_CACHE", "false");
        return variables;
    }

    @Override
    public String toString() {
        return "CommandSource[" + name() + "]";
    }
}
