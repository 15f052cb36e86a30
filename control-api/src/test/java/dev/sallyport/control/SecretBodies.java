package dev.sallyport.control;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Bodies of secret policies. */
final class SecretBodies {

    static final String INJECT = """
            {"name": "github", "priority": 10, "mode": "inject",
             "source": {"type": "env", "var": "GITHUB_TOKEN"},
             "inject_config": {"header": "Authorization", "formatter": "Bearer {{.Value}}"}}""";

    static final String REPLACE = """
            {"name": "telegram", "priority": 20, "mode": "replace",
             "source": {"var": "BOT"},
             "replace_config": {"proxy_value": "bot-token"}}""";

    private SecretBodies() {}

    /** {@link #INJECT} with other members; a null member is removed. */
    static String inject(String pointer, String json) {
        ObjectNode body = (ObjectNode) Api.tree(INJECT);
        int slash = pointer.lastIndexOf('/');
        ObjectNode parent = (ObjectNode) body.at(pointer.substring(0, slash));
        parent.set(pointer.substring(slash + 1), Api.tree(json));
        return body.toString();
    }

    static String replace(String proxyValue) {
        ObjectNode body = (ObjectNode) Api.tree(REPLACE);
        ((ObjectNode) body.path("replace_config")).put("proxy_value", proxyValue);
        return body.toString();
    }
}
