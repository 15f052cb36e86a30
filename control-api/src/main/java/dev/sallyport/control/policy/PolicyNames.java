package dev.sallyport.control.policy;

/** Patterns of the fields of policies. */
final class PolicyNames {

    static final String NAME = "[a-z0-9]+(-[a-z0-9]+)*";
    static final String NAME_WORDS = "lower-case letters and digits, in groups joined by single hyphens";
    static final String TTL = "[0-9]+[hms]";
    static final String TTL_WORDS = "digits followed by h, m or s";
    static final String PROXY_VALUE = "([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+";
    static final String PROXY_VALUE_WORDS = "letters, digits, -, ., _, ~ and %XX escapes";

    static final String CLOUD_NAME_WORDS = "a name or ARN without blanks, such as prod/github-token";

    private PolicyNames() {}
}
