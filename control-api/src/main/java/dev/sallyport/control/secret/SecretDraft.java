package dev.sallyport.control.secret;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.ShellVariables;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A secret as a client sends it. */
@ServerOwned({"id", "proxy_value", "created_at", "updated_at"})
public record SecretDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = SecretFields.NAME,
                expected = SecretFields.NAME_WORDS,
                description = "Unique in the account; it cannot be changed.")
        String name,

        @Limits(
                min = 1,
                max = SecretFields.LONGEST_VALUE,
                description = "The value: one line. It is kept encrypted, and never returned.")
        String secret,

        @Limits(
                min = 1,
                max = SecretFields.LONGEST_VARIABLE,
                pattern = SecretFields.VARIABLE,
                expected = SecretFields.VARIABLE_WORDS,
                description = "The variable that holds the placeholder in sandboxes; unique in the account.")
        String envVar,

        @Limits(
                min = 1,
                max = SecretFields.MOST_HOSTS,
                description =
                        "Where the placeholder is replaced: hosts, *.example.com for one label below example.com, or * for every host that is let through; [\"*\"] when absent.")
        @Nullable List<String> hosts,

        @Limits(max = SecretFields.LONGEST_COMMENT, description = "For people.") @Nullable String comment,

        @Limits(
                description = "Whether it may go over connections without TLS to addresses that are not near.",
                defaultValue = "false")
        @Nullable Boolean allowPlaintext)
        implements Checked {

    private static final List<String> EVERYWHERE = List.of("*");

    public SecretDraft {
        hosts = hosts == null ? null : List.copyOf(hosts);
    }

    /** Where the placeholder is replaced. */
    List<String> places() {
        return hosts == null ? EVERYWHERE : hosts;
    }

    @Override
    public void check(FieldProblems problems) {
        SecretFields.checkValue(secret, problems);
        SecretFields.checkHosts(hosts, problems);
        if (!problems.isTouched("env_var")) {
            ShellVariables.checkReplaceable("env_var", envVar, problems);
        }
    }

    /** Without the value. */
    @Override
    public String toString() {
        return "SecretDraft[" + name + "]";
    }
}
