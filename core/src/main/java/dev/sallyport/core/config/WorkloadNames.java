package dev.sallyport.core.config;

/** What workloads may be called. */
public final class WorkloadNames {

    /** The longest name, in characters. */
    public static final int MAX = 256;

    /** Callers with a user and without a workload are called so in audit records. */
    public static final String OF_USERS = "user:";

    /** Workloads that belong to the control plane of the same process are called so; none of a file is. */
    public static final String OF_CONTROL = "control:";

    /** What a name is. */
    public static final String EXPECTED =
            "1 to " + MAX + " characters, none of them a control character, not beginning with " + OF_USERS;

    private WorkloadNames() {}

    /** What is wrong with a name; empty for nothing. */
    public static String fault(String name) {
        if (name.isEmpty() || name.length() > MAX) {
            return "a name of " + name.length() + " characters";
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            return "a name with control characters";
        }
        return name.startsWith(OF_USERS) ? "a name that stands for a user without a workload" : "";
    }
}
