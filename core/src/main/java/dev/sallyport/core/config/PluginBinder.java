package dev.sallyport.core.config;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.TransformFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Binds the configuration of plug-ins: entries of {@code transforms}, their own sections, secret sources, companions.
 */
final class PluginBinder {

    private static final Set<String> ENTRY_KEYS = Set.of("name", "config");
    private static final Set<String> SOURCE_KEYS = Set.of("type", "json_key", "optional");

    private final PluginCatalog catalog;
    private final Binder binder;
    private final Findings findings;
    private final Set<String> uniqueNames = new HashSet<>();

    PluginBinder(PluginCatalog catalog, Binder binder, Findings findings) {
        this.catalog = catalog;
        this.binder = binder;
        this.findings = findings;
    }

    /** An entry of {@code transforms}, or {@link Binder#FAILED}. */
    Object transform(ConfigNode node, String pointer) {
        ConfigNode.Mapping mapping = binder.mapping(node, pointer, "a mapping with name and config");
        if (mapping == null) {
            return Binder.FAILED;
        }
        binder.refuseUnknown(mapping, pointer, ENTRY_KEYS, Set.of());
        ConfigNode.Scalar name = name(mapping, pointer, "name", catalog.transformNames());
        if (name == null) {
            return Binder.FAILED;
        }
        TransformFactory<?> factory = catalog.transform(name.text());
        if (factory == null) {
            unknown(
                    name,
                    Pointers.child(pointer, "name"),
                    "transform",
                    ModuleHints.ofTransform(name.text()),
                    catalog.transformNames());
            return Binder.FAILED;
        }
        ConfigNode config = mapping.get("config");
        return entry(
                name.text(),
                factory,
                config == null ? ConfigNode.Mapping.empty(mapping.at()) : config,
                Pointers.child(pointer, "config"));
    }

    /** The section of a transform that has one, or {@link Binder#FAILED}. */
    <C extends Record> Object entry(TransformFactory<C> factory, ConfigNode node, String pointer) {
        return entry(factory.descriptor().name(), factory, node, pointer);
    }

    private <C extends Record> Object entry(String name, TransformFactory<C> factory, ConfigNode node, String pointer) {
        Class<C> type = factory.descriptor().configType();
        Object bound = binder.block(type, node, pointer, false, Set.of());
        if (bound == Binder.FAILED) {
            return Binder.FAILED;
        }
        C config = type.cast(bound);
        validate(
                factory,
                (checked, problems) -> {
                    unique(name, factory, checked, pointer, problems);
                    factory.validate(checked, problems);
                },
                config,
                node,
                pointer);
        Locations places = new Locations(node, pointer, findings);
        return new TransformEntry<>(
                name, factory, config, places, pointer, capabilities(factory, config, node, pointer));
    }

    /** The sections of transforms in a mapping, those that could be bound, in its order. */
    List<TransformEntry<?>> sections(ConfigNode.Mapping mapping, String pointer) {
        List<TransformEntry<?>> sections = new ArrayList<>();
        for (String key : mapping.entries().keySet()) {
            TransformFactory<?> factory = catalog.section(key);
            ConfigNode node = mapping.get(key);
            if (factory != null
                    && node != null
                    && entry(factory, node, Pointers.child(pointer, key)) instanceof TransformEntry<?> entry) {
                sections.add(entry);
            }
        }
        return sections;
    }

    /** The keys of a block that belong to transforms with a section. */
    Set<String> sectionsIn(Class<? extends Record> block) {
        return block == WorkloadSection.class ? catalog.sectionNames() : Set.of();
    }

    /** A section that configures no transform, or {@link Binder#FAILED}. */
    <C extends Record> Object section(SectionFactory<C> factory, ConfigNode node, String pointer) {
        Object bound = binder.block(factory.configType(), node, pointer, false, Set.of());
        if (bound == Binder.FAILED) {
            return Binder.FAILED;
        }
        C config = factory.configType().cast(bound);
        validate(factory, factory::validate, config, node, pointer);
        return new SectionEntry<>(factory, config, new Locations(node, pointer, findings), pointer);
    }

    /** Called once: a factory that throws here would throw for every caller. */
    private <C extends Record> Capabilities capabilities(
            TransformFactory<C> factory, C config, ConfigNode node, String pointer) {
        try {
            return factory.capabilities(config);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            if (!findings.isTouched(pointer)) {
                ConfigException fault = PluginFault.in(factory, "capabilities", e);
                findings.problem(node.at(), pointer, String.valueOf(fault.getMessage()), fault.expected());
            }
            return Capabilities.none();
        }
    }

    /** A name stands once in each pipeline. */
    private <C extends Record> void unique(
            String transform, TransformFactory<C> factory, C config, String pointer, Problems problems) {
        String name = factory.uniqueName(config);
        String[] tokens = pointer.split("/", 4);
        String scope = tokens.length > 3 && tokens[1].equals("workloads") ? tokens[2] : "";
        if (!name.isEmpty()
                && !uniqueNames.add(scope + "/" + factory.descriptor().name() + "/" + name)) {
            problems.add("/name", "another " + transform + " has this name", "a name of its own");
        }
    }

    /** A reference to a secret, or {@link Binder#FAILED}. */
    Object secret(ConfigNode node, String pointer) {
        ConfigNode.Mapping mapping = binder.mapping(node, pointer, "a secret source such as {type: env, var: NAME}");
        if (mapping == null) {
            return Binder.FAILED;
        }
        ConfigNode.Scalar type = name(mapping, pointer, "type", catalog.sourceTypes());
        if (type == null) {
            return Binder.FAILED;
        }
        SecretSourceFactory<?> factory = catalog.source(type.text());
        if (factory == null) {
            unknown(
                    type,
                    Pointers.child(pointer, "type"),
                    "secret source",
                    ModuleHints.ofSource(type.text()),
                    catalog.sourceTypes());
            return Binder.FAILED;
        }
        return reference(type.text(), factory, mapping, pointer);
    }

    private <C extends Record> Object reference(
            String name, SecretSourceFactory<C> factory, ConfigNode.Mapping mapping, String pointer) {
        Class<C> type = factory.descriptor().configType();
        Object bound = binder.block(type, mapping, pointer, true, SOURCE_KEYS);
        Object own = binder.block(SourceKeys.class, only(mapping), pointer, true, Set.of("type"));
        if (bound == Binder.FAILED || !(own instanceof SourceKeys keys)) {
            return Binder.FAILED;
        }
        C config = type.cast(bound);
        validate(factory, factory::validate, config, mapping, pointer);
        return new SecretRef(name, config, keys.jsonKey(), keys.optional(), pointer)
                .toSource(factory.descriptor().name());
    }

    /** The keys of every source that belong to the engine. */
    record SourceKeys(String jsonKey, boolean optional) {}

    private static ConfigNode.Mapping only(ConfigNode.Mapping mapping) {
        ConfigNode.Mapping own = mapping;
        for (String key : mapping.entries().keySet()) {
            own = SOURCE_KEYS.contains(key) ? own : own.without(key);
        }
        return own;
    }

    private <C extends Record> void validate(
            Object factory, BiConsumer<C, Problems> validation, C config, ConfigNode node, String pointer) {
        FollowUpFilter followUps = new FollowUpFilter(pointer, findings);
        try {
            validation.accept(config, followUps.filter(binder.problems(node, pointer)));
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            if (followUps.isEmpty()) {
                boolean secret = givesSecret(config.getClass(), node);
                ConfigException fault = PluginFault.in(factory, "validate", e, secret);
                findings.problem(node.at(), pointer, String.valueOf(fault.getMessage()), fault.expected());
            }
        }
    }

    private static boolean givesSecret(Class<? extends Record> type, ConfigNode node) {
        return node instanceof ConfigNode.Mapping mapping
                && RecordShape.of(type).givesSecret(mapping.entries().keySet());
    }

    private ConfigNode.@Nullable Scalar name(
            ConfigNode.Mapping mapping, String pointer, String key, Collection<String> known) {
        ConfigNode node = mapping.get(key);
        String child = Pointers.child(pointer, key);
        if (node == null || node.isNull()) {
            Location at = node == null ? mapping.at() : node.at();
            findings.problem(at, child, "missing field \"" + key + "\"", NearestKey.oneOf(known));
            return null;
        }
        if (node instanceof ConfigNode.Scalar scalar && scalar.type().isString()) {
            return scalar;
        }
        binder.wrongType(node, child, "a string");
        return null;
    }

    private void unknown(
            ConfigNode.Scalar name, String pointer, String what, @Nullable String module, Collection<String> known) {
        if (module != null) {
            notInstalled(name.at(), pointer, what, name.text(), module);
            return;
        }
        String nearest = NearestKey.to(name.text(), known);
        String expected = nearest == null ? NearestKey.oneOf(known) : nearest + "? known: " + NearestKey.oneOf(known);
        findings.problem(name.at(), pointer, "unknown " + what + " " + MessageText.quoted(name.text()), expected);
    }

    /** Reports an undeclared key. */
    void unknownKey(Location at, String pointer, String key, Collection<String> known) {
        String child = Pointers.child(pointer, key);
        String module = pointer.isEmpty() ? ModuleHints.ofSection(key) : null;
        String instead = pointer.isEmpty() ? ModuleHints.insteadOfSection(key) : null;
        if (module != null) {
            notInstalled(at, child, "section", key, module);
        } else if (instead != null) {
            findings.problem(at, child, "the section " + key + " of iron-proxy does not exist here", instead);
        } else {
            findings.problem(at, child, "unknown key " + MessageText.quoted(key), NearestKey.expected(key, known));
        }
    }

    private void notInstalled(Location at, String pointer, String what, String name, String module) {
        findings.problem(at, pointer, what + " \"" + name + "\" is not installed", "the module " + module);
    }
}
