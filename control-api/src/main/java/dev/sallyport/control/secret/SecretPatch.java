package dev.sallyport.control.secret;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.ShellVariables;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be changed of a secret; what is null stays. */
@ServerOwned({"id", "proxy_value", "created_at", "updated_at"})
public record SecretPatch(
        @Limits(description = "The name that it has; another one is refused.") @Nullable String name,

        @Limits(
                min = 1,
                max = SecretFields.LONGEST_VALUE,
                description = "The new value: one line. Placeholders stay as they are.")
        @Nullable String secret,

        @Limits(
                min = 1,
                max = SecretFields.LONGEST_VARIABLE,
                pattern = SecretFields.VARIABLE,
                expected = SecretFields.VARIABLE_WORDS,
                description = "The variable that holds the placeholder in sandboxes; unique in the account.")
        @Nullable String envVar,

        @Limits(min = 1, max = SecretFields.MOST_HOSTS, description = "Where the placeholder is replaced from now on.")
        @Nullable List<String> hosts,

        @Limits(max = SecretFields.LONGEST_COMMENT, description = "For people; null takes it away.") @Nullable String comment,

        @Limits(description = "Whether it may go over connections without TLS to addresses that are not near.")
        @Nullable Boolean allowPlaintext)
        implements Checked {

    public SecretPatch {
        hosts = hosts == null ? null : List.copyOf(hosts);
    }

    @Override
    public void check(FieldProblems problems) {
        SecretFields.checkValue(secret, problems);
        SecretFields.checkHosts(hosts, problems);
    }

    /** Reports another name than that of the secret, and another variable that no secret can have. */
    public void checkAgainst(Secret present, FieldProblems problems) {
        if (name != null && !name.equals(present.name()) && !problems.isTouched("name")) {
            problems.add("name", "another name (expected: the present one, or none)");
        }
        if (envVar != null && !envVar.equals(present.envVar())) {
            ShellVariables.checkReplaceable("env_var", envVar, problems);
        }
    }

    /** Without the value. */
    @Override
    public String toString() {
        return "SecretPatch[]";
    }
}
