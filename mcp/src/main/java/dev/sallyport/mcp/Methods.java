package dev.sallyport.mcp;

/** MCP methods that a policy can judge, or whose parameters fields of the head repeat. */
final class Methods {

    static final String TOOLS_CALL = "tools/call";
    static final String TOOLS_LIST = "tools/list";
    static final String RESOURCES_LIST = "resources/list";
    static final String TEMPLATES_LIST = "resources/templates/list";
    static final String RESOURCES_READ = "resources/read";
    static final String RESOURCES_SUBSCRIBE = "resources/subscribe";
    static final String RESOURCES_UNSUBSCRIBE = "resources/unsubscribe";
    static final String PROMPTS_LIST = "prompts/list";
    static final String PROMPTS_GET = "prompts/get";
    static final String COMPLETE = "completion/complete";
    static final String TASKS_GET = "tasks/get";
    static final String TASKS_UPDATE = "tasks/update";
    static final String TASKS_CANCEL = "tasks/cancel";
    static final String SAMPLING = "sampling/createMessage";

    private Methods() {}
}
