package dev.sallyport.core.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The variables {@code HTTP_PROXY}, {@code HTTPS_PROXY} and {@code NO_PROXY} of the process, in capitals or, failing
 * that, in small letters: they override {@code proxy.upstream_proxy}. An empty variable counts as unset.
 */
public final class ProxyVariables {

    private static final List<String> NAMES = List.of("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY");
    private static final String SECTION = "proxy";
    private static final String BLOCK = "upstream_proxy";

    private ProxyVariables() {}

    /** The variables that are set, by the fields of {@code proxy.upstream_proxy} that they override. */
    public static Map<String, String> given(Map<String, String> environment) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String name : NAMES) {
            String field = name.toLowerCase(Locale.ROOT);
            if (isSet(environment, name)) {
                given.put(field, name);
            } else if (isSet(environment, field)) {
                given.put(field, field);
            }
        }
        return given;
    }

    private static boolean isSet(Map<String, String> environment, String name) {
        String value = environment.get(name);
        return value != null && !value.isBlank();
    }

    /** The configuration with these values. {@code NO_PROXY} alone counts where the block names a parent. */
    static ConfigNode.Mapping apply(ConfigNode.Mapping root, Map<String, String> environment) {
        Map<String, String> given = given(environment);
        boolean exemptsOnly = given.size() == 1 && given.containsKey("no_proxy");
        ConfigNode.Mapping changed = root;
        if (!exemptsOnly || block(root) != null) {
            for (Map.Entry<String, String> field : given.entrySet()) {
                Location at = Location.environment(field.getValue());
                String value = String.valueOf(environment.get(field.getValue())).strip();
                changed = set(changed, field.getKey(), new ConfigNode.Scalar(at, value, ConfigNode.Type.TEXT));
            }
        }
        return changed;
    }

    private static ConfigNode.@Nullable Mapping block(ConfigNode.Mapping root) {
        return root.get(SECTION) instanceof ConfigNode.Mapping proxy
                        && proxy.get(BLOCK) instanceof ConfigNode.Mapping block
                ? block
                : null;
    }

    /** Anything but a mapping is left as it is, and reported when it is bound. */
    private static ConfigNode.Mapping set(ConfigNode.Mapping root, String field, ConfigNode value) {
        ConfigNode section = mapping(root.get(SECTION), value.at());
        if (!(section instanceof ConfigNode.Mapping proxy)
                || !(mapping(proxy.get(BLOCK), value.at()) instanceof ConfigNode.Mapping block)) {
            return root;
        }
        return root.with(SECTION, proxy.with(BLOCK, block.with(field, value)));
    }

    private static ConfigNode mapping(@Nullable ConfigNode node, Location at) {
        return node == null || node.isNull() ? ConfigNode.Mapping.empty(at) : node;
    }
}
