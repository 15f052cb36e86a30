package dev.sallyport.control.policy;

/** The kinds of policies. */
public enum PolicyKind {
    /** Credentials for traffic. */
    SECRET("secret_policy", "spol_"),
    /** Tools of MCP servers. */
    MCP("mcp_policy", "mpol_"),
    /** Destinations. */
    NETWORK("network_policy", "npol_");

    private final String resource;
    private final String prefix;

    PolicyKind(String resource, String prefix) {
        this.resource = resource;
        this.prefix = prefix;
    }

    /** What the codes of errors and records begin with. */
    public String resource() {
        return resource;
    }

    /** Of identifiers. */
    public String prefix() {
        return prefix;
    }
}
