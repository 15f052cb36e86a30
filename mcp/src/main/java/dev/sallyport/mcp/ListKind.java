package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.Names;

/** What servers list. */
enum ListKind {
    /** {@code tools/list}. */
    TOOLS("tools", "name", Methods.TOOLS_LIST, Reasons.TOOL),
    /** {@code resources/list}. */
    RESOURCES("resources", "uri", Methods.RESOURCES_LIST, Reasons.RESOURCE),
    /** {@code resources/templates/list}. */
    TEMPLATES("resourceTemplates", "uriTemplate", Methods.TEMPLATES_LIST, Reasons.RESOURCE),
    /** {@code prompts/list}. */
    PROMPTS("prompts", "name", Methods.PROMPTS_LIST, Reasons.PROMPT);

    /** The member of a result that is the list. */
    final String member;

    /** The member of an item that it is known by. */
    final String key;

    /** Asks for the list. */
    final String method;

    /** Why an item is taken out. */
    final String reason;

    ListKind(String member, String key, String method, String reason) {
        this.member = member;
        this.key = key;
        this.method = method;
        this.reason = reason;
    }

    /** Whether an item has a member that lenient readers may take for its key. */
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
