package dev.sallyport.core.config;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Variables of the environment that override the file: {@code SALLYPORT_<SECTION>_<FIELD>}, nested fields joined by
 * underscores. An empty variable counts as unset.
 */
final class Overrides {

    static final String PREFIX = "SALLYPORT_";

    /**
     * Variables of the launcher and of {@code sallyport ctl}, the one that holds the token of a proxy, and those that
     * {@code env.sh} leaves in the shell of a workload, from which somebody may also start a proxy.
     */
    private static final Set<String> RESERVED = Set.of(
            "SALLYPORT_HOME",
            "SALLYPORT_JAVA_OPTS",
            "SALLYPORT_ARCHIVE",
            "SALLYPORT_SERVER",
            "SALLYPORT_API_KEY",
            "SALLYPORT_SSH",
            "SALLYPORT_PROXY_TOKEN",
            "SALLYPORT_PROXY",
            "SALLYPORT_CA_DIR",
            "SALLYPORT_ROOTS");

    /**
     * Variables that Kubernetes sets in every container of a namespace that has a service named sallyport or
     * sallyport-...
     */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "(\\w+_)?SERVICE_HOST|(\\w+_)?SERVICE_PORT(_\\w+)?|(\\w+_)?PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

    private static final int MAX_DEPTH = 6;
    private static final String IN_FILE = "this setting in the file";

    private final Map<String, Target> targets = new TreeMap<>();
    private final Set<String> sections = new HashSet<>();

    /** The fields that have no variable, by the name that it would have. */
    private final Set<String> inFileOnly = new HashSet<>();

    /** The blocks that need not be there, by their keys from the top. */
    private final Set<List<String>> optional = new HashSet<>();

    private final Findings findings;

    /**
     * The field that a variable sets.
     *
     * @param path keys from the top
     */
    record Target(List<String> path, RecordShape.Field field) {}

    Overrides(PluginCatalog catalog, Findings findings) {
        this.findings = findings;
        collect(RecordShape.of(CoreSections.class), List.of());
        for (String section : catalog.sectionNames()) {
            var factory = Objects.requireNonNull(catalog.section(section));
            plugged(section, factory.descriptor().configType());
        }
        for (String section : catalog.companionNames()) {
            var factory = Objects.requireNonNull(catalog.companion(section));
            plugged(section, factory.configType());
        }
        sections.addAll(RecordShape.of(CoreSections.class).keys());
    }

    private void plugged(String section, Class<? extends Record> type) {
        collect(RecordShape.of(type), List.of(section));
        sections.add(section);
        optional.add(List.of(section));
    }

    private void collect(RecordShape shape, List<String> path) {
        for (RecordShape.Field field : shape.fields().values()) {
            List<String> below =
                    Stream.concat(path.stream(), Stream.of(field.key())).toList();
            String name = PREFIX + String.join("_", below).toUpperCase(Locale.ROOT);
            if (field.kind() instanceof BindingKind.Block block && below.size() < MAX_DEPTH) {
                collect(RecordShape.of(block.type()), below);
                if (field.nullable()) {
                    optional.add(below);
                }
            } else if (path.isEmpty() || !TextNodes.fits(field.kind())) {
                inFileOnly.add(name);
            } else {
                if (targets.put(name, new Target(below, field)) != null) {
                    throw new IllegalArgumentException("two fields with the variable " + name);
                }
            }
        }
    }

    /** By variable. */
    Map<String, Target> targets() {
        return targets;
    }

    /** The configuration with the values of the environment. */
    static ConfigNode.Mapping apply(
            ConfigNode.Mapping root, Map<String, String> environment, PluginCatalog catalog, Findings findings) {
        boolean none = environment.keySet().stream().noneMatch(name -> name.startsWith(PREFIX));
        return none ? root : new Overrides(catalog, findings).apply(root, environment);
    }

    private ConfigNode.Mapping apply(ConfigNode.Mapping root, Map<String, String> environment) {
        Set<String> named = new HashSet<>();
        collectNames(root, named);
        ConfigNode.Mapping changed = root;
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            String name = variable.getKey();
            if (!name.startsWith(PREFIX) || variable.getValue().isEmpty()) {
                continue;
            }
            Target target = targets.get(name);
            if (target != null) {
                Location at = Location.environment(name);
                ConfigNode value = TextNodes.of(target.field().kind(), variable.getValue(), at);
                changed = set(changed, target.path(), 0, value);
            } else if (!named.contains(name)) {
                unknown(name, variable.getValue());
            }
        }
        return changed;
    }

    private ConfigNode.Mapping set(ConfigNode.Mapping mapping, List<String> path, int depth, ConfigNode value) {
        String key = path.get(depth);
        if (depth == path.size() - 1) {
            return mapping.with(key, value);
        }
        ConfigNode below = mapping.get(key);
        if (below == null || below.isNull()) {
            // What an optional block lacks is missing because of the variable alone.
            boolean made = optional.contains(path.subList(0, depth + 1));
            below = ConfigNode.Mapping.empty(made ? value.at() : mapping.at());
        }
        // Binding reports anything but a mapping.
        return below instanceof ConfigNode.Mapping inner
                ? mapping.with(key, set(inner, path, depth + 1, value))
                : mapping;
    }

    /** Variables that the file itself names, such as for a secret, are not overrides. */
    private static void collectNames(ConfigNode node, Set<String> names) {
        switch (node) {
            case ConfigNode.Mapping mapping ->
                mapping.entries().values().forEach(entry -> collectNames(entry.value(), names));
            case ConfigNode.Sequence sequence -> sequence.items().forEach(item -> collectNames(item, names));
            case ConfigNode.Scalar scalar -> {
                if (scalar.text().startsWith(PREFIX)) {
                    names.add(scalar.text());
                }
            }
        }
    }

    private void unknown(String name, String value) {
        String rest = name.substring(PREFIX.length());
        if (RESERVED.contains(name) || isServiceLink(rest, value)) {
            return;
        }
        Location at = Location.environment(name);
        if (inFileOnly.stream().anyMatch(field -> name.equals(field) || name.startsWith(field + "_"))) {
            findings.problem(at, "", "unknown variable", IN_FILE);
            return;
        }
        String nearest = NearestKey.to(
                rest,
                targets.keySet().stream()
                        .map(known -> known.substring(PREFIX.length()))
                        .toList());
        if (nearest == null && section(rest) == null) {
            findings.warning(at, "", "unknown variable, ignored", "SALLYPORT_<SECTION>_<FIELD>");
        } else {
            findings.problem(at, "", "unknown variable", nearest == null ? fields(rest) : PREFIX + nearest + "?");
        }
    }

    private static boolean isServiceLink(String rest, String value) {
        boolean port = rest.equals("PORT") || rest.endsWith("_PORT");
        return SERVICE_LINK.matcher(rest).matches() || (port && value.matches("(tcp|udp|sctp)://.*"));
    }

    private @Nullable String section(String rest) {
        return sections.stream()
                .filter(section -> (rest + "_").startsWith(section.toUpperCase(Locale.ROOT) + "_"))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    private String fields(String rest) {
        String prefix = PREFIX + String.valueOf(section(rest)).toUpperCase(Locale.ROOT) + "_";
        List<String> known = targets.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .toList();
        return known.isEmpty() ? IN_FILE : NearestKey.oneOf(known);
    }
}
