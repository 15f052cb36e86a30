package dev.sallyport.control.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.OnlyWhen;
import dev.sallyport.core.config.Durations;
import dev.sallyport.toolkit.secret.CloudNames;
import org.jspecify.annotations.Nullable;

/** Where the proxy reads the credential. Members of another type are dropped. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SourceDraft(
        @Limits(description = "Kind of source.", defaultValue = "env") @Nullable Type type,

        @OnlyWhen(key = "type", is = "env", absent = "env")
        @Limits(
                min = 1,
                max = 1024,
                pattern = "[A-Za-z_][A-Za-z0-9_]*",
                expected = "the name of an environment variable",
                description = "Environment variable; required for env.")
        @Nullable String var,

        @OnlyWhen(key = "type", is = "cloud_sm", absent = "env")
        @Limits(
                min = 1,
                max = CloudNames.LONGEST,
                pattern = CloudNames.NAME,
                expected = PolicyNames.CLOUD_NAME_WORDS,
                description = "Name in the secret manager; required for cloud_sm.")
        @Nullable String secretId,

        @OnlyWhen(key = "type", is = "cloud_ssm", absent = "env")
        @Limits(
                min = 1,
                max = CloudNames.LONGEST,
                pattern = CloudNames.NAME,
                expected = PolicyNames.CLOUD_NAME_WORDS,
                description = "Name in the parameter store; required for cloud_ssm.")
        @Nullable String name,

        @OnlyWhen(
                key = "type",
                is = {"cloud_sm", "cloud_ssm"},
                absent = "env")
        @Limits(
                min = 1,
                max = CloudNames.LONGEST_REGION,
                pattern = CloudNames.REGION,
                expected = "the name of a region such as eu-west-1",
                description = "Region, when not the default one.")
        @Nullable String region,

        @Limits(min = 1, max = 1024, description = "Key to take from a value that is JSON.") @Nullable String jsonKey,

        @Limits(
                max = 32,
                pattern = PolicyNames.TTL,
                expected = PolicyNames.TTL_WORDS,
                description = "How long the value is cached.")
        @Nullable String ttl,

        @OnlyWhen(key = "type", is = "cloud_ssm", absent = "env")
        @Limits(description = "Whether to decrypt secure strings.")
        @Nullable Boolean withDecryption) {

    /** Kinds of sources. */
    public enum Type {
        /** An environment variable of the proxy. */
        @JsonProperty("env")
        ENV,
        /** A secret manager. */
        @JsonProperty("cloud_sm")
        CLOUD_SM,
        /** A parameter store. */
        @JsonProperty("cloud_ssm")
        CLOUD_SSM
    }

    public SourceDraft {
        type = type == null ? Type.ENV : type;
    }

    /**
     * Which member no proxy can read, whatever its type; null when there is none. Such a member is refused, but may have been
     * stored before it was.
     */
    public @Nullable String unreadable() {
        if (secretId != null && !CloudNames.isName(secretId)) {
            return "secret_id";
        }
        if (name != null && !CloudNames.isName(name)) {
            return "name";
        }
        if (region != null && !CloudNames.isRegion(region)) {
            return "region";
        }
        return ttl != null && type != Type.ENV && !Durations.isReadable(ttl) ? "ttl" : null; // of env it is not told
    }

    /** Reports a missing name, and what no proxy can read. */
    void check(FieldProblems problems) {
        if (problems.isTouched("source.type")) {
            return;
        }
        if (ttl != null && !problems.isTouched("source.ttl") && !Durations.isReadable(ttl)) {
            problems.add("source.ttl", "too long (expected: less than 292 years)");
        }
        switch (type == null ? Type.ENV : type) {
            case ENV -> required("source.var", var, problems);
            case CLOUD_SM -> required("source.secret_id", secretId, problems);
            case CLOUD_SSM -> required("source.name", name, problems);
        }
    }

    private static void required(String field, @Nullable String value, FieldProblems problems) {
        if (value == null) {
            problems.addUnlessTouched(field, "missing (expected: a value, for a source of this type)");
        }
    }
}
