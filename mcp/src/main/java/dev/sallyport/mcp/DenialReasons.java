package dev.sallyport.mcp;

/** The reasons for a denial or removal, as written to audit records. */
final class DenialReasons {

    static final String TOOL = "tool_not_allowed";
    static final String ARGUMENTS = "argument_constraint";
    static final String LIMIT = "limit";
    static final String CHANGED = "tool_changed";
    static final String PINNED = "pinned";
    static final String RESOURCE = "resource_not_allowed";
    static final String PROMPT = "prompt_not_allowed";
    static final String SAMPLING = "sampling_not_allowed";
    static final String OVERSIZE = "oversize_body";
    static final String MALFORMED = "malformed_jsonrpc";
    static final String HEADERS = "header_mismatch";
    static final String NOT_JSON_RPC = "not_json_rpc";
    static final String TRANSPORT = "transport_not_covered";
    static final String UNREADABLE = "unreadable_response";

    private DenialReasons() {}
}
