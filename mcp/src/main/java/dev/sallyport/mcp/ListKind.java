package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.Names;

/** The kinds of lists that servers offer. */
enum ListKind {
    /** {@code tools/list}. */
    TOOLS("tools", "name", Methods.TOOLS_LIST, DenialReasons.TOOL),
    /** {@code resources/list}. */
    RESOURCES("resources", "uri", Methods.RESOURCES_LIST, DenialReasons.RESOURCE),
    /** {@code resources/templates/list}. */
    TEMPLATES("resourceTemplates", "uriTemplate", Methods.TEMPLATES_LIST, DenialReasons.RESOURCE),
    /** {@code prompts/list}. */
    PROMPTS("prompts", "name", Methods.PROMPTS_LIST, DenialReasons.PROMPT);

    /** The member of a result that holds the list. */
    final String member;

    /** The member that identifies an item. */
    final String key;

    /** The method that asks for the list. */
    final String method;

    /** The reason for which an item is removed. */
    final String reason;

    ListKind(String member, String key, String method, String reason) {
        this.member = member;
        this.key = key;
        this.method = method;
        this.reason = reason;
    }

    /** Whether an item has a member that lenient readers could take for its key. */
    boolean doubtful(Json.Obj item) {
        return Names.of(key).resembledIn(item);
    }

    /** Whether a method asks for some list. */
    static boolean asksForOne(String method) {
        for (ListKind kind : values()) {
            if (kind.method.equals(method)) {
                return true;
            }
        }
        return false;
    }
}
